import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { plannedOperations } from '../../src/api/planned.js';
import { resources } from '../../src/api/service.js';
import { openPayloads, shownPayloads } from '../../src/api/webhook-events.js';
import { type Catalogue, catalogueOf, type EventType } from './catalogue.js';
import { byText } from './text.js';

const folder = new URL('../../src/api/', import.meta.url);

const eventTypes: readonly EventType[] = [
  ...Object.entries(shownPayloads).map(([type, payload]) => ({ type, payload })),
  ...openPayloads.map((type) => ({ type })),
];

const modules: Record<string, object> = {};
for (const file of readdirSync(folder).sort(byText)) {
  if (file.endsWith('.ts')) modules[basename(file, '.ts')] = await import(new URL(file, folder).href);
}

/** The service, from every file under `src/api`. */
export const service: Catalogue = catalogueOf(modules, resources, plannedOperations, eventTypes);
