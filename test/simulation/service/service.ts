import type { FaultPoint, Stage } from '../world/faults.js';
import { Access } from './access.js';
import { type Lot, submitBid } from './bids.js';
import { carryOut } from './commands.js';
import { Ledger } from './ledger.js';
import { look } from './reads.js';
import { envelope, json, message, type WireReply, type WireRequest } from './wire.js';

/** A request that the network brought, and by which number the harness knows it. */
export interface Arrival {
  readonly request: WireRequest;
  readonly number: number;
}

/** What the API text leaves open, as this run's service has it. */
export interface Manners {
  /** How long a UUID is remembered, ms. */
  readonly remembersMs: number;
  /** Whether the receipt of a look-up names the bid. */
  readonly receiptNamesBid: boolean;
  /** Whether times are written in whole seconds. */
  readonly wholeSeconds: boolean;
  /** Whether a conflict of keys comes as a message. */
  readonly conflictAsMessage: boolean;
  /** Whether access is checked before the nonce is looked at. */
  readonly checksAccessFirst: boolean;
}

export interface ServiceParts extends Omit<Stage, 'faults'> {
  readonly manners: Manners;
  strikes(point: FaultPoint): boolean;
  /** Told of a bid that is answered by a 409 which names no reason. */
  answeredUnnamed(request: WireRequest): void;
  /** Told of a time in which fewer requests are let in. */
  throttles(from: number, to: number): void;
  /** Told of a message-only refusal. */
  answeredBare(request: WireRequest): void;
}

/** A request that was let in. */
export interface Admitted extends Arrival {
  readonly client: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Server time when it came, Unix ms. */
  readonly at: number;
  /** Server time from which on the look-up by key shows it, Unix ms. */
  readonly shownAt: number;
}

/** How long judging takes, ms. */
const JUDGING_MS = 5;
/** Between two requests that a throttle lets in, ms. */
const THROTTLED_MS = 5_000;

/**
 * The service, as small as the promises about bids and commands need it: written from the API text alone, and sharing
 * nothing with the code under test.
 */
export class Service {
  readonly parts: ServiceParts;
  readonly access = new Access();
  readonly ledger: Ledger;
  readonly lots = new Map<string, Lot>();
  /** Sales and their versions. */
  readonly sales = new Map<string, number>();
  /** Keys that were given two verdicts. */
  readonly contradicted = new Set<string>();
  /** Why the look-up by key doesn't answer, and until when. */
  outage: { readonly reply: () => WireReply; readonly until: number } | undefined;
  #throttle: { readonly until: number; nextAt: number } | undefined;

  constructor(parts: ServiceParts) {
    this.parts = parts;
    this.ledger = new Ledger(parts.manners.remembersMs);
  }

  get now(): number {
    return this.parts.timeline.now;
  }

  /** Server time as replies state it. */
  stated(ms: number): number {
    return this.parts.manners.wholeSeconds ? Math.floor(ms / 1000) * 1000 : ms;
  }

  /** Takes a request in; `answer` is called once, later. */
  receive(arrival: Arrival, answer: (reply: WireReply) => void): void {
    const { timeline } = this.parts;
    const reply = (given: WireReply) => {
      timeline.after(JUDGING_MS, () => answer(given));
    };
    const admission = this.#admit(arrival);
    if ('refusal' in admission) reply(admission.refusal);
    else if (arrival.request.method === 'GET') reply(look(this, admission));
    else timeline.after(this.#hiddenMs(), () => this.#process(admission, reply));
  }

  /** Judges what was let in; from now on the look-up by key knows of it. */
  #process(admitted: Admitted, reply: (given: WireReply) => void): void {
    const key = admitted.request.headers['idempotency-key'] ?? '';
    const shownAt = this.now;
    const letOut = this.ledger.letIn(admitted.client, key, shownAt);
    this.parts.timeline.after(this.#commitMs(), () => {
      const judged = this.#judge({ ...admitted, shownAt });
      letOut();
      reply(judged);
    });
  }

  #admit(arrival: Arrival): Admitted | { readonly refusal: WireReply } {
    const { request } = arrival;
    const mutates = request.method !== 'GET';
    const throttled = this.#throttled(mutates);
    if (throttled !== undefined) return { refusal: throttled };
    if (mutates && this.parts.strikes('service answers 429')) {
      return { refusal: message(429, 'Too many requests.', { 'retry-after': '1' }) };
    }
    const isFirst = this.parts.manners.checksAccessFirst;
    const before = mutates && isFirst ? this.#refusal(request) : undefined;
    if (before !== undefined) return { refusal: before };
    const admission = this.access.admit(request, this.now);
    if ('refusal' in admission) return admission;
    const refusal = mutates && !isFirst ? this.#refusal(request) : undefined;
    if (refusal !== undefined) return { refusal };
    const [path = '', query = ''] = request.path.split('?');
    return {
      ...arrival,
      client: admission.client,
      path: path.slice('/api/v1'.length),
      query: new URLSearchParams(query),
      at: this.now,
      shownAt: this.now,
    };
  }

  /** While the service allows less than its client was promised, one request is let in every few seconds. */
  #throttled(mutates: boolean): WireReply | undefined {
    const { parts, now } = this;
    if (mutates && parts.strikes('service throttles')) {
      this.#throttle = { until: now + 10_000 * (1 + parts.choices.choose('throttles for', 25)), nextAt: now };
      parts.throttles(now, this.#throttle.until);
    }
    const throttle = this.#throttle;
    if (throttle === undefined || now >= throttle.until) return undefined;
    if (now >= throttle.nextAt) {
      throttle.nextAt = now + THROTTLED_MS;
      return undefined;
    }
    const seconds = Math.ceil((throttle.nextAt - now) / 1_000);
    return message(429, 'Too Many Attempts.', { 'retry-after': String(seconds) });
  }

  /** What is let in may stand in a line that nobody sees, for less than five seconds. */
  #hiddenMs(): number {
    return this.parts.strikes('service shows it late')
      ? 1_000 * (1 + this.parts.choices.choose('hidden', 4))
      : 0;
  }

  #commitMs(): number {
    if (!this.parts.strikes('service is slow to commit')) return JUDGING_MS;
    return 1_000 * (1 + this.parts.choices.choose('slowness', 40));
  }

  #judge(admitted: Admitted): WireReply {
    if (this.parts.strikes('service fails before the commit')) return message(500, 'Server Error');
    const reply = admitted.path.endsWith('/bids') ? submitBid(this, admitted) : carryOut(this, admitted);
    if (this.parts.strikes('service fails after the commit')) return message(500, 'Server Error');
    if (admitted.path.endsWith('/bids') && this.parts.strikes('service answers 409 without a reason')) {
      this.parts.answeredUnnamed(admitted.request);
      return message(409, 'Conflict.');
    }
    if (this.parts.strikes('service answers 429 after the commit')) {
      return message(429, 'Too many requests.', { 'retry-after': '1' });
    }
    return reply;
  }

  /** An own word of the service that records nothing. */
  #refusal(request: WireRequest): WireReply | undefined {
    const { parts, now } = this;
    if (parts.strikes('service answers 403')) return envelope(403, now, { code: 'IP_NOT_ALLOWED' });
    if (parts.strikes('service answers 404')) {
      parts.answeredBare(request);
      return message(404, 'Not found.');
    }
    if (parts.strikes('service answers 422 for a field')) {
      const text = 'The client bid time is no date.';
      return json(422, { message: text, errors: { client_bid_time: [text] } });
    }
    return undefined;
  }
}
