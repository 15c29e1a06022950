export type Caller = 'platform' | 'dealer' | 'bank';

type Id = string | number | object;

/** One way to call a method, and what it puts on the wire. Bids and commands are given their key in the options. */
export interface WireCall {
  readonly operation: string;
  readonly name: string;
  readonly by: readonly Caller[];
  /** What the path names; a record may stand in place of the id whose version it brings along. */
  readonly ids: readonly Id[];
  /** Query or body as the caller gives it. */
  readonly given?: object | undefined;
  readonly options?: object | undefined;
  /** The canonical query string; empty where there are no parameters. */
  readonly query: string;
  /** The exact body; nothing where there is none. */
  readonly body?: string | undefined;
}

export interface WireReply {
  readonly name: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What comes back, as JSON; or the bytes of a file. */
  readonly json?: unknown;
  readonly bytes?: Buffer;
  /** The whole body as it is kept, where reading it puts something right. */
  readonly read?: unknown;
  /** What the call resolves with; a file's stream as its bytes. */
  readonly result: unknown;
  /** What `responseOf` says of it, beside what follows from the request. */
  readonly info?: {
    readonly requestId?: string;
    readonly serverTime?: string;
    readonly replayed?: boolean;
    readonly cached?: string;
  };
}

/** One method, as the API text describes its operation. */
export interface WireCase {
  /** The row of the text. */
  readonly row: string;
  /** `resource.method`, as the clients have it. */
  readonly operation: string;
  /** The id that the text gives, or the slug of one that it gives none. */
  readonly id: string;
  /** Effective method and path. */
  readonly route: string;
  /** The method that is sent, and the one that is signed. */
  readonly sent: 'GET' | 'POST';
  readonly signed: string;
  readonly path: string;
  readonly effect: 'read' | 'bid' | 'command';
  readonly isBinary: boolean;
  readonly calls: readonly WireCall[];
  readonly replies: readonly WireReply[];
}

/** What differs between the calls of a method: all callers of the operation make it unless `by` names some. */
export type Call = Partial<Pick<WireCall, 'by' | 'given' | 'options' | 'query' | 'body'>> & {
  readonly record?: object;
};

/** A read with these parameters, and the canonical query that they make. */
export function asks(given?: object, query = '', by?: readonly Caller[]): Call {
  return { given, query, ...(by && { by }) };
}

/**
 * A body, field by field as it is sent. The caller gives its fields in another order; key and `_method` come from the
 * SDK, as does what `filled` names.
 */
export function sends(
  body: object,
  { filled = [], ...more }: Call & { filled?: readonly string[] } = {},
): Call {
  return {
    given: without(body, ['idempotency_key', '_method', ...filled]),
    body: JSON.stringify(body),
    ...more,
  };
}

/** The same body, with a record in place of its id and version. */
export function byRecord(record: object, body: object): Call {
  return sends(body, { record, filled: ['expected_version'] });
}

/** A body with more in it than the SDK knows: what the bank named, but the text does not. */
export function withExtra(body: object, extraBody: object, extraQuery?: object, query = ''): Call {
  const options = { extraBody, ...(extraQuery && { extraQuery }) };
  return sends(body, { options, query, filled: Object.keys(extraBody) });
}

function without(body: object, names: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(body)
      .filter(([name]) => !names.includes(name))
      .reverse(),
  );
}

/**
 * The case of a method. `row` is what the API text says of it, copied by hand: method of the SDK, id (or our slug), HTTP
 * method, path, scope, actors (`-`: the text names none).
 */
export function wire(
  row: string,
  ids: readonly Id[],
  calls: readonly Call[],
  replies: readonly WireReply[],
): WireCase {
  const [operation = '', id = '', method = '', template = '', , actors = ''] = row.split(' ');
  const rest = [...ids];
  const effect = id === 'bids.submit' ? 'bid' : method === 'GET' || id === 'A11' ? 'read' : 'command';
  return {
    row,
    operation,
    id,
    route: `${method} ${template}`,
    sent: method === 'GET' ? 'GET' : 'POST',
    signed: method,
    path: `/api/v1${template.replace(/\{\w+\}/g, () => String(rest.shift()))}`,
    effect,
    isBinary: replies[0]?.bytes !== undefined,
    calls: calls.map(({ record, ...call }) => ({
      operation,
      by: callers[actors] ?? [],
      query: '',
      ...call,
      ids: record === undefined ? ids : [record],
      name: nameOf(call, record),
    })),
    replies,
  };
}

const callers: Readonly<Record<string, readonly Caller[]>> = {
  '-': ['platform', 'bank'],
  'bank,partner': ['platform', 'bank'],
  partner: ['platform'],
  bank: ['bank'],
};

function nameOf({ given = {}, options = {} }: Call, record: object | undefined): string {
  const fields = Object.keys(given).join(', ') || 'nothing';
  const extra = 'extraBody' in options ? ', and an extra' : '';
  return `with ${fields}${extra}${record === undefined ? '' : ', by its record'}`;
}

/** Everybody who can make a call of the case. */
export function callersOf({ calls }: WireCase): Caller[] {
  return [...new Set(calls.flatMap(({ by }) => by))];
}

/** The first call of the case that somebody can make. */
export function callOf({ operation, calls }: WireCase, caller: Caller): WireCall {
  const call = calls.find(({ by }) => by.includes(caller));
  if (call === undefined) throw new Error(`${operation} has no call by ${caller}`);
  return call;
}

export function caseOf(cases: readonly WireCase[], operation: string): WireCase {
  const found = cases.find((one) => one.operation === operation);
  if (found === undefined) throw new Error(`No case for ${operation}`);
  return found;
}

/** Makes a call on a client, as plain JavaScript does; of a list it takes the first page, or all of its items. */
export async function made(
  client: object,
  { operation, ids, given, options }: WireCall,
  more: object | undefined,
  of: 'firstPage' | 'toArray' = 'firstPage',
): Promise<unknown> {
  const [resource = '', method = ''] = operation.split('.');
  const holder: object = Reflect.get(client, resource);
  const takesInput = given === undefined ? [] : [given];
  const all = options === undefined && more === undefined ? undefined : { ...options, ...more };
  const result: unknown = Reflect.apply(Reflect.get(holder, method), holder, [...ids, ...takesInput, all]);
  const list: unknown = Reflect.get(Object(result), of);
  return typeof list === 'function' ? list.call(result) : result;
}
