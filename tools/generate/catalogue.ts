import { z } from 'zod';
import type { Actor, Operation, Resource } from '../../src/api/operation.js';
import type { PlannedOperation } from '../../src/api/planned.js';
import { byText, capitalise, kebab } from './text.js';

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

/** A type of event that the service delivers to subscribers; its payload where the API text shows one. */
export interface EventType {
  readonly type: string;
  readonly payload?: z.ZodObject;
}

/** Finds models by their schemas. */
export type Models = Pick<Catalogue, 'modelOf'>;

/** Input of the generator: the API as data, with names. */
export interface Catalogue {
  readonly resources: readonly Resource[];
  /** In the order of the resources. */
  readonly methods: readonly Method[];
  /** Sorted by name. */
  readonly models: readonly Model[];
  /** Modules that hold models or resources, sorted. */
  readonly modules: readonly string[];
  /** Those without a method. */
  readonly planned: readonly PlannedOperation[];
  readonly eventTypes: readonly EventType[];
  /** The model that a schema is, also when it was described again at the place of use. */
  modelOf(schema: z.ZodType): Model | undefined;
  /** The types that a module declares. */
  typesOf(module: string): readonly string[];
}

/** @throws Error if two things would get one name, or a resource or an operation contradicts itself. */
export function catalogueOf(
  exportsByModule: Readonly<Record<string, object>>,
  resources: readonly Resource[],
  planned: readonly PlannedOperation[],
  eventTypes: readonly EventType[] = [],
): Catalogue {
  const models = Object.entries(exportsByModule)
    .flatMap(([module, exports]) => modelsIn(module, exports))
    .sort((a, b) => byText(a.name, b.name));
  checkListed(resources, exportsByModule);
  const methods = resources.flatMap(methodsOf);
  for (const method of methods) checkMethod(method);
  const homes = new Map<string, string>();
  const declare = (type: string, module: string) => {
    const other = homes.get(type);
    if (other !== undefined) throw new Error(`${type} is declared twice: for ${other} and for ${module}`);
    homes.set(type, module);
  };
  for (const { name, module } of models) declare(name, module);
  for (const method of methods)
    for (const type of inputTypes(method)) declare(type, kebab(method.resource.name));
  // A described copy of a named schema shares its definition, so the definition is what identifies a model.
  const byDefinition = new Map<unknown, Model>();
  for (const model of models) {
    const other = byDefinition.get(model.schema.def);
    if (other !== undefined) throw new Error(`${model.name} and ${other.name} are one schema`);
    byDefinition.set(model.schema.def, model);
  }
  return {
    resources,
    methods,
    models,
    modules: [...new Set([...homes.values(), ...resources.map(({ name }) => kebab(name))])].sort(byText),
    planned: planned.filter(({ id }) => methods.every(({ operation }) => operation.id !== id)),
    eventTypes,
    modelOf: (schema) => byDefinition.get(schema.def),
    typesOf: (module) => [...homes].flatMap(([type, home]) => (home === module ? [type] : [])),
  };
}

export function methodsOf(resource: Resource): Method[] {
  return Object.entries(resource.operations).map(([name, operation]) => ({ resource, name, operation }));
}

/** The resource of a module; undefined for one that holds models only. */
export function resourceOf({ resources }: Catalogue, module: string): Resource | undefined {
  return resources.find(({ name }) => kebab(name) === module);
}

/** `BidsSubmitBody`, `BidsListQuery`. */
export function inputType({ resource, name }: Method, part: 'body' | 'query'): string {
  return capitalise(resource.name) + capitalise(name) + capitalise(part);
}

/** Whether a body comes in two: a platform's names the buyer, a direct dealer's doesn't. */
export function isPartnerTyped({ operation }: Method): boolean {
  const fields = Object.values(operation.body?.shape ?? {});
  return fields.some((field) => field instanceof z.ZodType && field.meta()?.['partnerBid'] === true);
}

/** Every type that the input of a method declares. */
function inputTypes(method: Method): string[] {
  const { body, query } = method.operation;
  const type = inputType(method, 'body');
  return [
    ...(query === undefined ? [] : [inputType(method, 'query')]),
    ...(body === undefined ? [] : [type]),
    ...(isPartnerTyped(method) ? [`Dealer${type}`, `Platform${type}`] : []),
  ];
}

function modelsIn(module: string, exports: object): Model[] {
  return Object.entries(exports).flatMap(([name, schema]) =>
    /^[A-Z]/.test(name) && schema instanceof z.ZodObject ? [{ name, module, schema }] : [],
  );
}

/** Each listed resource is exported under its name by its own file, and no file exports one that is not listed. */
function checkListed(resources: readonly Resource[], exportsByModule: Readonly<Record<string, object>>) {
  const listed = new Map<string, unknown>(
    resources.map((own) => [`${own.name} of ${kebab(own.name)}.ts`, own]),
  );
  const exported = new Map<string, unknown>();
  for (const [module, exports] of Object.entries(exportsByModule))
    for (const [name, value] of Object.entries(exports))
      if ('operations' in Object(value)) exported.set(`${name} of ${module}.ts`, value);
  for (const place of new Set([...exported.keys(), ...listed.keys()]))
    if (exported.get(place) !== listed.get(place))
      throw new Error(`service.ts and the resource ${place} do not agree`);
}

/** Params fill the path, and a version that is expected comes from one of them. */
function checkMethod(method: Method): void {
  const { path, params = {}, body, versionFrom } = method.operation;
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  if (named.join() !== Object.keys(params).join()) {
    throw new Error(`${method.operation.name} must have params for ${path}, in that order`);
  }
  const isVersioned = 'expected_version' in (body?.shape ?? {});
  const isRight = versionFrom === undefined ? !isVersioned : isVersioned && named.includes(versionFrom.param);
  if (!isRight)
    throw new Error(`${method.operation.name} must take versionFrom from a param if it has expected_version`);
}

/** One-line description of an operation: `A60`, `PATCH /bank/…`, and its transport. */
export function sourceOf(operation: Operation): string {
  const { id, method } = operation;
  const tunnelled = isTunnelled(method) ? ' (sent as POST with `_method`)' : '';
  return `${hasTextId(id) ? `${id}, ` : ''}\`${method} ${wireTarget(operation)}\`${tunnelled}`;
}

/** The path of an operation, with the query that makes it the call it is. */
export function wireTarget({ path, fixedQuery }: Operation): string {
  const query = new URLSearchParams(fixedQuery).toString();
  return `${path}${query === '' ? '' : `?${query}`}`;
}

/** Native PATCH and PUT are blocked: such a call is a POST whose body names its method. */
export function isTunnelled(method: Operation['method']): boolean {
  return method === 'PATCH' || method === 'PUT';
}

/** Whether an id is the API text's, or a slug of ours. */
export function hasTextId(id: string): boolean {
  return /^A\d+$/.test(id);
}

/** Note for an operation that is described but listed as not callable. */
export const DOCUMENTED_ONLY =
  'The API text describes it, yet lists it as not callable: a 404 is to be expected until the service opens it.';

/** Actors named in the API text; undefined if it names none. */
export function whoMayCall(actors: readonly Actor[] | undefined): string | undefined {
  const named = (['partner', 'bank'] as const).filter((actor) => actors?.includes(actor));
  return actors && named.map((actor) => `${actor}s`).join(' and ');
}

/** Whether a method gives a pager instead of a reply. */
export function isPaged({ envelope }: Operation): boolean {
  return envelope.endsWith('page');
}
