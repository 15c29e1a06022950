import type { Operation } from '../api/operation.js';
import type { Attempt } from './attempt.js';
import { bounded, boundedText } from './bounded.js';
import { callName } from './call-names.js';
import { queryPairs } from './canonical.js';
import type { JsonBody } from './validation.js';
import { singleHeader, type WireRequest } from './wire.js';

/** What is known of a request that has just arrived: nothing of it is believed yet. */
export interface Arrival {
  /** Server time, Unix milliseconds. */
  readonly at: number;
  /** What the service calls it. */
  readonly requestId: string;
  /** Digest of its body, lower-case hex; null where there is too much of that. */
  readonly bodySha256: string | null;
}

/**
 * What is noted of a request on its way through the service. Most requests are never asked about, so what came and what
 * was answered is kept as it was, and decoded when somebody asks; what is too long to be kept is cut at once.
 */
export class Noted implements Arrival {
  readonly at: number;
  readonly requestId: string;
  readonly bodySha256: string | null;
  readonly #n: number;
  readonly #method: string;
  readonly #target: string;
  readonly #clientId: string | null;
  readonly #idempotencyKey: string | null;
  readonly #nonce: string | null;
  readonly #tell: (noted: Noted) => void;
  #operation: Operation | null = null;
  #status: Attempt['status'] = 'pending';
  #code: string | null = null;
  #signature: Attempt['signature'] = 'unchecked';
  #hint: string | null = null;
  #canonical: string | null = null;
  #fault: string | null = null;
  #request: string | Cut | null = null;
  #reply: string | Cut | null = null;

  /** `tell` is told whenever more is known. */
  constructor(n: number, wire: WireRequest, arrival: Arrival, tell: (noted: Noted) => void) {
    this.#n = n;
    this.at = arrival.at;
    this.requestId = arrival.requestId;
    this.bodySha256 = arrival.bodySha256;
    this.#method = wire.method;
    this.#target = wire.target;
    this.#clientId = singleHeader(wire, 'x-client-id') ?? null;
    this.#idempotencyKey = singleHeader(wire, 'idempotency-key') ?? null;
    this.#nonce = singleHeader(wire, 'x-nonce') ?? null;
    this.#tell = tell;
  }

  /** It calls this operation with this body. */
  routed(operation: Operation, json: JsonBody): void {
    this.#operation = operation;
    if ('object' in json) this.#request = keptText(json.text) ?? new Cut(bounded(json.object));
    this.#tell(this);
  }

  /** Its signature is right. */
  verified(): void {
    this.#signature = 'valid';
    this.#tell(this);
  }

  /** Its signature is wrong; the sandbox measured it against the canonical request, and has a guess. */
  unverified(canonical: string, hint: string | undefined): void {
    this.#signature = 'invalid';
    this.#canonical = canonical;
    this.hinted(hint);
  }

  hinted(hint: string | undefined): void {
    this.#hint = hint ?? null;
    this.#tell(this);
  }

  /** An injected fault of this name strikes it. */
  struck(fault: string): void {
    this.#fault = fault;
    this.#tell(this);
  }

  dropped(): void {
    this.#status = 'dropped';
    this.#tell(this);
  }

  /** `json` is the text answered, where that is JSON. */
  answered(status: number, code: string | undefined, json: string | undefined): void {
    this.#status = status;
    this.#code = code ?? null;
    if (json !== undefined) this.#reply = keptText(json) ?? new Cut(boundedJson(json));
    this.#tell(this);
  }

  /** What is known of it by now. */
  attempt(): Attempt {
    // Decoded once: who asks for one attempt mostly asks for it again.
    if (typeof this.#request === 'string') this.#request = new Cut(boundedJson(this.#request));
    if (typeof this.#reply === 'string') this.#reply = new Cut(boundedJson(this.#reply));
    return Object.freeze({
      operation: this.#operation?.id ?? null,
      call: this.#operation && callName(this.#operation),
      method: this.#method,
      path: this.#target,
      query: decodedQuery(this.#target),
      status: this.#status,
      code: this.#code,
      clientId: this.#clientId,
      idempotencyKey: this.#idempotencyKey,
      nonce: this.#nonce,
      bodySha256: this.bodySha256,
      signature: this.#signature,
      hint: this.#hint,
      canonical: this.#canonical,
      fault: this.#fault,
      request: this.#request?.json ?? null,
      reply: this.#reply === null ? null : this.#reply.json,
      at: this.at,
      n: this.#n,
    });
  }
}

/** JSON that is decoded and small. */
class Cut {
  readonly json: unknown;

  constructor(json: unknown) {
    this.json = json;
  }
}

/** A text that is kept as it is; undefined where it is too long for that. */
function keptText(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= mostKept ? text : undefined;
}

function boundedJson(text: string): unknown {
  return bounded(JSON.parse(text));
}

function decodedQuery(target: string): Attempt['query'] {
  const mark = target.indexOf('?');
  if (mark < 0) return nothing;
  const values = new Map<string, string[]>();
  for (const pair of queryPairs(target.slice(mark + 1)).slice(0, mostParameters)) {
    const name = boundedText(pair.name.toString('utf8'));
    values.set(name, [...(values.get(name) ?? []), boundedText(pair.value.toString('utf8'))]);
  }
  return Object.fromEntries(
    [...values].map(([name, given]) => [name, given.length === 1 ? (given[0] ?? '') : given]),
  );
}

const nothing = Object.freeze({});
const mostParameters = 50;
/** Characters that are kept as they came: with all that `attempts()` tells of, some megabytes at the most. */
const mostKept = 2_048;
