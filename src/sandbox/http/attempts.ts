import type { Operation } from '../../api/operation.js';
import type { Reply } from './replies.js';
import { halves, type JsonBody, singleHeader, type WireRequest } from './wire.js';

/** One request that arrived, without signature and secrets. */
export interface SandboxAttempt {
  /** Sequence number, from 1. */
  readonly n: number;
  /** Operation id such as `bids.submit` or `A22`; null when no route matched. */
  readonly operation: string | null;
  /** Client method of the operation, such as `saleCases.decide`; null if no route matched. */
  readonly call: string | null;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** Decoded query by name. A repeated name has a list of values. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Reply status. `dropped` if the connection was cut before a reply, `pending` before the reply. */
  readonly status: number | 'dropped' | 'pending';
  /** Reply code such as `BID_ACCEPTED`; null if the reply has none. */
  readonly code: string | null;
  readonly clientId: string | null;
  readonly idempotencyKey: string | null;
  readonly nonce: string | null;
  /** Lower-case hex; null if the body was too large to read. */
  readonly bodySha256: string | null;
  /** `unchecked` if a refusal or fault came before the signature check. */
  readonly signature: 'valid' | 'invalid' | 'unchecked';
  /** Likely mistake behind a refused signature or timestamp, and its fix; null if none was found. */
  readonly hint: string | null;
  /** Canonical request that an invalid signature was checked against; null for other requests. */
  readonly canonical: string | null;
  /** Name of the injected fault that applied; null without one. */
  readonly fault: string | null;
  /** JSON object of the request body, with long texts and lists truncated; null without one. */
  readonly request: unknown;
  /** JSON of the reply, truncated and without secrets; null if the reply was not JSON. */
  readonly reply: unknown;
  /** Server time of arrival, Unix milliseconds. */
  readonly at: number;
}

/** One committed effect. */
export interface LedgerEntry {
  /** `bid`, or the kind of the record that the command returned, such as `sale` or `payment_report`. */
  readonly kind: string;
  /** Operation id, such as `bids.submit` or `A22`. */
  readonly operation: string;
  /** Client method, such as `saleCases.decide`. */
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

/** Log of requests and commits, in order. */
export class RequestLog {
  readonly #ledger: LedgerEntry[] = [];
  readonly #keep: number;
  readonly #attempts: LoggedRequest[] = [];
  #arrived = 0;

  /** Keeps the latest `keep` attempts and the whole ledger. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  commit(entry: LedgerEntry): void {
    this.#ledger.push(Object.freeze(entry));
  }

  /** Logs an arrival. The result is added later. */
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

  /** Number of requests so far. */
  get arrived(): number {
    return this.#arrived;
  }

  /** Retained attempts in their current state, oldest first. */
  attempts(): SandboxAttempt[] {
    return this.#attempts.map((logged) => logged.attempt());
  }
}

/** Facts known when a request arrives. */
export interface Arrival {
  /** Server time, Unix milliseconds. */
  readonly at: number;
  readonly requestId: string;
  /** Digest of the body, lower-case hex; null if the body was too large to read. */
  readonly bodySha256: string | null;
}

/** SandboxAttempt fields that are recorded while a request is handled. */
type Known = Omit<SandboxAttempt, 'query' | 'request' | 'reply'>;

/** Log record of one request while it is handled. */
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

  /** Records further fields. */
  note(known: Partial<Known>): void {
    Object.assign(this.#known, known);
  }

  /** Records the body and the matched operation. */
  routed(operation: Operation | undefined, json: JsonBody): void {
    if (operation !== undefined) this.note({ operation: operation.id, call: operation.name });
    if ('object' in json) this.#request = kept(json.text, json.object);
  }

  /** Records the reply. `json` is its text if it is JSON. */
  answered({ status, code }: Reply, json: string | undefined): void {
    this.note({ status, code: code ?? null });
    if (json !== undefined) this.#reply = kept(json);
  }

  /** Current state as an attempt. */
  attempt(): SandboxAttempt {
    const query = decodedQuery(this.#known.path);
    return Object.freeze({ ...this.#known, query, request: this.#request(), reply: this.#reply() });
  }
}

/** Stores JSON as text and parses it on demand. Long text is truncated at once. */
function kept(text = 'null', json?: unknown): () => unknown {
  if (text.length > mostKept) return always(bounded(json ?? JSON.parse(text)));
  return () => bounded(JSON.parse(text));
}

/** Separate function, so that the closure does not retain the text. */
const always = (value: unknown) => () => value;

function decodedQuery(target: string): SandboxAttempt['query'] {
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
 * A copy of decoded JSON that is small enough to keep: long texts are cut and marked with their length, and long lists,
 * deep nesting and large values are cut. Secrets and signatures are blacked out by name.
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
      fields.push([boundedText(name), isSecret ? '(redacted)' : copy(field, depth + 1)]);
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

/** Log lines of a completed request. Control characters are escaped. */
export function logLines(attempt: Omit<SandboxAttempt, 'request' | 'reply'>): readonly string[] {
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
  'no common mistake explains this signature. Compare the canonical request line by line, then check the secret';
const mostParameters = 50;
/** JSON longer than this is truncated, which bounds the memory for `attempts()` to some megabytes. */
const mostKept = 2_048;
const mostChars = 256;
const mostItems = 25;
const mostDepth = 8;
const mostValues = 400;
