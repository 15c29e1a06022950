import type { Operation } from '../../api/operation.js';
import type { Reply } from './replies.js';
import { halves, type JsonBody, singleHeader, type WireRequest } from './wire.js';

/** One request that arrived, whatever became of it. No signature and no secret is in it. */
export interface Attempt {
  /** Its number: 1 for the first request of the sandbox's life. */
  readonly n: number;
  /** Operation id such as `bids.submit` or `A22`; null when no route matched. */
  readonly operation: string | null;
  /** The client's method that makes such a call, such as `saleCases.decide`; null when no route matched. */
  readonly call: string | null;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** The query, decoded: the value of each name, or the list of its values where it was given more than once. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Status answered; `dropped` when the connection was cut before a reply, `pending` while there is none. */
  readonly status: number | 'dropped' | 'pending';
  /** The code answered, such as `BID_ACCEPTED`; null where the reply has none. */
  readonly code: string | null;
  readonly clientId: string | null;
  readonly idempotencyKey: string | null;
  readonly nonce: string | null;
  /** Lower-case hex; null when the body was too large to read. */
  readonly bodySha256: string | null;
  /** `unchecked` where something refused it, or struck it, before its signature was looked at. */
  readonly signature: 'valid' | 'invalid' | 'unchecked';
  /** The mistake that explains a refused signature or timestamp, and what to do; null where nothing simple does. */
  readonly hint: string | null;
  /** What the sandbox measured an invalid signature against: its six lines; null for any other request. */
  readonly canonical: string | null;
  /** Name of the injected fault that struck it. */
  readonly fault: string | null;
  /** The JSON object of the body, long texts and lists cut; null where there was none. */
  readonly request: unknown;
  /** The JSON that was answered, cut the same way and without secrets; null where it was none. */
  readonly reply: unknown;
  /** Server time of arrival, Unix milliseconds. */
  readonly at: number;
}

/** One thing the service committed. */
export interface LedgerEntry {
  /** `bid`, or the kind of the record that a command answered with, such as `sale` or `payment_report`. */
  readonly kind: string;
  /** Operation id, such as `bids.submit` or `A22`. */
  readonly operation: string;
  /** The client's method for it, such as `saleCases.decide`. */
  readonly call: string | null;
  /** Id of the bid or record. */
  readonly recordId: string;
  readonly idempotencyKey: string;
  readonly clientId: string;
  readonly saleId?: string;
  readonly lotId?: string;
  readonly bidId?: string;
  /** INR decimal string. */
  readonly amount?: string;
  /** Server time of the commit, Unix milliseconds. */
  readonly at: number;
}

/** Commits and arrivals, in order. */
export class RequestLog {
  readonly #ledger: LedgerEntry[] = [];
  readonly #keep: number;
  readonly #attempts: LoggedRequest[] = [];
  #arrived = 0;

  /** Keeps the latest `keep` attempts, and all of the ledger. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  commit(entry: LedgerEntry): void {
    this.#ledger.push(Object.freeze(entry));
  }

  /** Notes an arrival; what comes of it is noted later. */
  arrive(wire: WireRequest, arrival: Arrival): LoggedRequest {
    this.#arrived += 1;
    const logged = new LoggedRequest(this.#arrived, wire, arrival);
    this.#attempts.push(logged);
    if (this.#attempts.length > this.#keep) this.#attempts.shift();
    return logged;
  }

  ledger(): LedgerEntry[] {
    return [...this.#ledger];
  }

  /** How many requests have arrived. */
  get arrived(): number {
    return this.#arrived;
  }

  /** The attempts that are kept, oldest first, as they are now. */
  attempts(): Attempt[] {
    return this.#attempts.map((logged) => logged.attempt());
  }
}

/** What is known of a request that has just arrived. */
export interface Arrival {
  /** Server time, Unix milliseconds. */
  readonly at: number;
  readonly requestId: string;
  /** Digest of its body, lower-case hex; null where the body was too large to read. */
  readonly bodySha256: string | null;
}

/** What becomes known of a request on its way. */
type Known = Omit<Attempt, 'query' | 'request' | 'reply'>;

/** A request on its way through the service. */
export class LoggedRequest {
  readonly arrival: Arrival;
  readonly #known: Known;
  #request: () => unknown = () => null;
  #reply: () => unknown = () => null;

  constructor(n: number, wire: WireRequest, arrival: Arrival) {
    this.arrival = arrival;
    this.#known = {
      n,
      operation: null,
      call: null,
      method: wire.method,
      path: wire.target,
      status: 'pending',
      code: null,
      clientId: singleHeader(wire, 'x-client-id') ?? null,
      idempotencyKey: singleHeader(wire, 'idempotency-key') ?? null,
      nonce: singleHeader(wire, 'x-nonce') ?? null,
      bodySha256: arrival.bodySha256,
      signature: 'unchecked',
      hint: null,
      canonical: null,
      fault: null,
      at: arrival.at,
    };
  }

  /** Adds what has become known. */
  note(known: Partial<Known>): void {
    Object.assign(this.#known, known);
  }

  /** It has this body, and calls this operation if any. */
  routed(operation: Operation | undefined, json: JsonBody): void {
    if (operation !== undefined) this.note({ operation: operation.id, call: operation.name });
    if ('object' in json) this.#request = kept(json.text, json.object);
  }

  /** `json` is the text answered, where that is JSON. */
  answered({ status, code }: Reply, json: string | undefined): void {
    this.note({ status, code: code ?? null });
    if (json !== undefined) this.#reply = kept(json);
  }

  /** What is known of it by now. */
  attempt(): Attempt {
    const query = decodedQuery(this.#known.path);
    return Object.freeze({ ...this.#known, query, request: this.#request(), reply: this.#reply() });
  }
}

/** Keeps JSON as the text that it came as, since few are ever looked at; a long one is cut at once. */
function kept(text = 'null', json?: unknown): () => unknown {
  if (text.length > mostKept) return always(bounded(json ?? JSON.parse(text)));
  return () => bounded(JSON.parse(text));
}

/** Apart from the text, which its closure would else keep alive. */
const always = (value: unknown) => () => value;

function decodedQuery(target: string): Attempt['query'] {
  const [, query] = halves(target);
  const values = new Map<string, string[]>();
  for (const [name, value] of [...new URLSearchParams(query)].slice(0, mostParameters)) {
    values.set(boundedText(name), [...(values.get(boundedText(name)) ?? []), boundedText(value)]);
  }
  return Object.fromEntries(
    [...values].map(([name, given]) => [name, given.length === 1 ? (given[0] ?? '') : given]),
  );
}

/**
 * A copy of decoded JSON that is small enough to be kept: long texts are cut with a mark of how long they were, as are
 * long lists, deep nesting and whatever is too much in all. Whatever is named a secret or a signature is blotted out.
 */
function bounded(value: unknown): unknown {
  let left = mostValues;
  const copy = (each: unknown, depth: number): unknown => {
    left -= 1;
    if (typeof each === 'string') return boundedText(each);
    if (typeof each !== 'object' || each === null) return each;
    if (depth >= mostDepth || left <= 0) return '…';
    if (Array.isArray(each)) {
      const items: unknown[] = [];
      for (const item of each.slice(0, mostItems)) if (left > 0) items.push(copy(item, depth + 1));
      return items.length < each.length ? [...items, `… (${each.length} items)`] : items;
    }
    const all = Object.entries(each);
    const fields: [string, unknown][] = [];
    for (const [name, field] of all) {
      if (left <= 0) break;
      const isSecret = typeof field === 'string' && /secret|signature/i.test(name);
      fields.push([boundedText(name), isSecret ? '(not shown)' : copy(field, depth + 1)]);
    }
    if (fields.length < all.length) fields.push(['…', `(${all.length} fields)`]);
    return Object.fromEntries(fields);
  };
  return copy(value, 0);
}

function boundedText(text: string): string {
  return text.length <= mostChars
    ? text
    : `${text.slice(0, mostChars)}… (${text.length.toLocaleString('en')} characters)`;
}

/** Lines for the log of a request that is done with. Control characters are escaped, whatever was sent. */
export function logLines(attempt: Attempt): readonly string[] {
  const { n, at, method, path, call, operation, status, code, clientId, fault } = attempt;
  const { signature, canonical, hint } = attempt;
  const answer = code === null ? status : `${status} ${code}`;
  const struck = fault === null ? '' : ` fault: ${fault}`;
  const name = call ?? operation ?? '(no route)';
  const lines = [
    `#${n} ${new Date(at).toISOString()} ${method} ${path} ${name} ${answer} ${clientId ?? '(no client)'}${struck}`,
  ];
  if (hint !== null) lines.push(`    hint: ${hint}`);
  else if (signature === 'invalid') lines.push(`    hint: ${noHint}`);
  if (canonical !== null)
    lines.push('    canonical request:', ...canonical.split('\n').map((each) => `    | ${each}`));
  return lines.map(printable);
}

function printable(line: string): string {
  return line.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const noHint =
  'no usual mistake explains this signature: compare the canonical request, line by line, and the secret';
const mostParameters = 50;
/** Characters that are kept as they came: with all that `attempts()` returns, some megabytes at the most. */
const mostKept = 2_048;
const mostChars = 256;
const mostItems = 25;
const mostDepth = 8;
const mostValues = 400;
