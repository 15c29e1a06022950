import type { Operation } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { refusal } from '../support/bid-replies.js';
import { bank, KEY, platform } from '../support/clients.js';
import type { ScriptedTransport, SentRequest } from '../support/scripted-transport.js';
import { cases } from '../wire/cases/all.js';

/** A method of one of the clients, as plain JavaScript sees it. */
export interface Method {
  readonly party: 'platform' | 'bank';
  /** Such as `saleCases.decide`. */
  readonly name: string;
  readonly operation: Operation;
  /** Path parameters, in the order of the arguments. */
  readonly params: readonly string[];
}

/** What one call is given; whatever is left out is legal. */
export interface Given {
  readonly ids?: Readonly<Record<string, unknown>>;
  readonly input?: unknown;
  readonly options?: unknown;
}

/** Every method of both clients. */
export const everyMethod: readonly Method[] = [
  ...methodsOf('platform', platform([]).client),
  ...methodsOf('bank', bank([]).client),
];

/** What a method takes as its body or query where everything is legal and every field is given; undefined for none. */
export function legalInput({ party, name }: Method): Readonly<Record<string, unknown>> | undefined {
  const input = queries[name] ?? bodyOf(name);
  if (input === undefined || party === 'platform' || !name.startsWith('events.')) return input;
  // Only platforms ask for the standing of a buyer in an event.
  const { bidder_reference: _, ...ofBank } = input;
  return ofBank;
}

const queries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'eligibility.check': { lot_id: 'lot_1', bidder_reference: 'buyer-9', amount: '465000.00' },
  'events.list': { status: 'live', page: 1, per_page: 25 },
  'events.lots': { search: 'Swift', bidder_reference: 'buyer-9', page: 1, per_page: 25 },
  'events.lot': { bidder_reference: 'buyer-9' },
  'lots.list': { page: 1 },
  'results.list': { page: 1 },
  'bids.list': { bidder_reference: 'buyer-9', page: 1 },
  'bidCancellations.list': { page: 1 },
  'winnerUpdates.list': { after: 'cursor_1', limit: 50 },
  'saleCases.list': { page: 1 },
  'notifications.list': { page: 1 },
};

/** The fields of all bodies that the wire case of a method shows; undefined for a method without a body. */
function bodyOf(name: string): Readonly<Record<string, unknown>> | undefined {
  const calls = cases.find(({ operation }) => operation === name)?.calls ?? [];
  const bodies = calls
    .filter(({ options }) => options === undefined)
    .flatMap(({ body }) => (body === undefined ? [] : [JSON.parse(body)]));
  if (bodies.length === 0) return undefined;
  const { _method, ...body } = Object.assign({}, ...bodies.reverse());
  return body;
}

/** Fields of the body or query of a method. */
export function fieldsOf({ operation }: Method): Readonly<Record<string, unknown>> {
  return { ...operation.query?.shape, ...operation.body?.shape };
}

/** Calls a method on a client of its own, whose service answers every call with a 404 and its code. */
export async function callWith(
  wanted: Method,
  given: Given = {},
): Promise<{ readonly error: unknown; readonly sent: readonly SentRequest[] }> {
  const { party, name, operation, params } = wanted;
  const { client, transport } = clientOf(party);
  const [resource = '', method = ''] = name.split('.');
  const ids = params.map((param) =>
    given.ids !== undefined && param in given.ids ? given.ids[param] : legalId(param),
  );
  const takesInput = operation.query !== undefined || operation.body !== undefined;
  const input = 'input' in given ? given.input : legalInput(wanted);
  const on: object = Reflect.get(client, resource);
  const call: (...args: unknown[]) => unknown = Reflect.get(on, method);
  const error = await failureOf(() =>
    call.apply(on, [...ids, ...(takesInput ? [input] : []), given.options]),
  );
  return { error, sent: transport.sent };
}

/** Id that a path parameter takes. */
export function legalId(param: string): unknown {
  if (param === 'media') return 901;
  return param === 'idempotency_key' ? KEY : `${param}_1`;
}

function clientOf(party: Method['party']): { client: object; transport: ScriptedTransport } {
  const answers = [refusal(404, 'NOT_FOUND')];
  return party === 'platform' ? platform(answers) : bank(answers);
}

function methodsOf(party: Method['party'], client: object): Method[] {
  return resources.flatMap(({ name, operations }) =>
    Object.entries(operations)
      .filter(([method]) => {
        const holder = Object(Reflect.get(client, name));
        // What a client itself carries refuses the methods of the other actor.
        return typeof Reflect.get(holder, method) === 'function' && !Object.hasOwn(holder, method);
      })
      .map(([method, operation]) => ({
        party,
        name: `${name}.${method}`,
        operation,
        params: [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
      })),
  );
}

/** What a call fails with; a list is asked for its first page. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    const result: unknown = await call();
    const firstPage: unknown = Reflect.get(Object(result), 'firstPage');
    if (typeof firstPage === 'function') await firstPage.call(result);
  } catch (error) {
    return error;
  }
  throw new Error('Expected a rejection');
}
