import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Resource } from '../../src/api/operation.js';
import { plannedOperations } from '../../src/api/planned.js';
import { resources } from '../../src/api/service.js';
import { openPayloads, shownPayloads } from '../../src/api/webhook-events.js';
import { type Catalogue, catalogueOf, type EventType } from './catalogue.js';
import { byText } from './names.js';

const folder = new URL('../../src/api/', import.meta.url);

const eventTypes: readonly EventType[] = [
  ...Object.entries(shownPayloads).map(([type, payload]) => ({ type, payload })),
  ...openPayloads.map((type) => ({ type })),
];

/** The service, from every file under `src/api`. */
export const service: Catalogue = await load(resources);

/** @throws Error for a resource that a file exports and nobody lists. */
export async function load(listed: readonly Resource[]): Promise<Catalogue> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .sort(byText);
  const modules: Record<string, object> = {};
  for (const file of files) modules[basename(file, '.ts')] = await import(new URL(file, folder).href);
  checkNoneForgotten(modules, listed);
  return catalogueOf(modules, listed, plannedOperations, eventTypes);
}

function checkNoneForgotten(modules: Readonly<Record<string, object>>, listed: readonly Resource[]): void {
  for (const [module, exports] of Object.entries(modules)) {
    for (const [name, value] of Object.entries(exports)) {
      if (isResource(value) && !listed.some((resource) => resource === value)) {
        throw new Error(`service.ts does not list ${name} of ${module}.ts`);
      }
    }
  }
}

function isResource(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && 'operations' in value;
}
