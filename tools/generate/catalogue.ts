import type { z } from 'zod';
import * as bids from '../../src/api/bids.js';
import * as events from '../../src/api/events.js';
import * as integration from '../../src/api/integration.js';
import * as lots from '../../src/api/lots.js';
import type { Operation, Resource } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import * as webhookEvents from '../../src/api/webhook-events.js';

/** A named schema: its name is its `export const`, its module the file under `src/api`. */
export interface Model {
  readonly name: string;
  readonly module: string;
  readonly schema: z.ZodObject;
}

export interface Method {
  readonly resource: Resource;
  readonly name: string;
  readonly operation: Operation;
}

const modules: Readonly<Record<string, object>> = {
  bids,
  events,
  integration,
  lots,
  'webhook-events': webhookEvents,
};

/** Every named schema, sorted by name. */
export const models: readonly Model[] = Object.entries(modules)
  .flatMap(([module, exports]) =>
    Object.entries(exports)
      .filter((entry): entry is [string, z.ZodObject] => /^[A-Z]/.test(entry[0]) && isObjectSchema(entry[1]))
      .map(([name, schema]) => ({ name, module, schema })),
  )
  .sort((a, b) => (a.name < b.name ? -1 : 1));

// A described copy of a named schema shares its definition, so the definition is what identifies a model.
const byDefinition = new Map<unknown, Model>(models.map((model) => [model.schema.def, model]));

/** The model that a schema is, also when it was described again at the place of use. */
export function modelOf(schema: z.ZodType): Model | undefined {
  return byDefinition.get(schema.def);
}

export function modulesWithModels(): string[] {
  return Object.keys(modules).sort();
}

export function methodsOf(resource: Resource): Method[] {
  return Object.entries(resource.operations).map(([name, operation]) => ({ resource, name, operation }));
}

export const allMethods: readonly Method[] = resources.flatMap(methodsOf);

/** `bids` + `submit` → `BidsSubmit`, the stem of the names of its body and query. */
export function methodStem({ resource, name }: Method): string {
  return capitalise(resource.name) + capitalise(name);
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isObjectSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'def' in value && schemaKind(value.def) === 'object';
}

function schemaKind(def: unknown): unknown {
  return typeof def === 'object' && def !== null && 'type' in def ? def.type : undefined;
}
