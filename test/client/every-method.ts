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
  const calls = cases.find(({ operation }) => operation === name)?.calls ?? [];
  const inputs = calls.flatMap(({ given, body, options }) => {
    if (options !== undefined) return [];
    return body === undefined ? [given ?? {}] : [JSON.parse(body)];
  });
  const { _method, ...input } = Object.assign({}, ...inputs.reverse());
  // Only platforms ask for the standing of a buyer in an event.
  if (party === 'bank' && name.startsWith('events.')) delete input.bidder_reference;
  return Object.keys(input).length === 0 ? undefined : input;
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
