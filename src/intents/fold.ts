import type { IntentState } from '../store/intents.js';
import type { AttemptEvent, IntentContent, IntentEvent, LookupEvent, ResultEvent } from './content.js';

/**
 * The state machine of an intent. `fold` computes everything that is known from the log alone; nothing else decides what
 * an intent is. docs/architecture.md draws it.
 *
 * Words: an attempt is *in doubt* while the service may have let it in and nothing has proved otherwise. *Absence* is what
 * a lookup (A06) shows when nothing is recorded under the key; it proves something only inside the absence window.
 */

/** For how long a signed copy of an attempt can still be let in after its timestamp (Limits, Clock difference). */
export const SIGNATURE_WINDOW_MS = 300_000;

/** Two lookups that settle an absence are at least this far apart. */
export const ABSENCE_GAP_MS = 60_000;

/** For how long a command without `expected_version` may be sent again after its first attempt (unknowns). */
const UNVERSIONED_RESEND_MS = 600_000;

/** What an attempt still means. */
type AttemptState =
  /** Announced, and no result recorded: the process may have died. Or its effect is unknown. */
  | 'doubt'
  /** A 4xx without a documented code. */
  | 'uncoded'
  | 'not_sent'
  | 'refused'
  | 'accepted'
  | 'rejected'
  /** A later absence proved that it was not recorded. */
  | 'absent';

interface Attempt {
  readonly n: number;
  /** `X-Timestamp`, Unix seconds. */
  readonly timestamp: number;
  result?: ResultEvent;
  state: AttemptState;
}

/** A verdict and where it comes from. */
export interface Verdict {
  readonly found: 'accepted' | 'rejected';
  /** `reply` rests on the reply to an attempt, `lookup` on the service's own record of the key. */
  readonly by: 'reply' | 'lookup';
  readonly event: ResultEvent | LookupEvent;
}

/** Everything that is known of an intent. Times are Unix ms in server time. */
export interface IntentStatus {
  readonly state: IntentState;
  /** Settled for now: a later lookup may still find something else. */
  readonly provisional: boolean;
  /** Provisional, and the service may have forgotten the key: nothing more will be found out. */
  readonly expired: boolean;
  /** Attempts that were announced, in all calls. */
  readonly attempts: number;
  /** Some attempt is in doubt. */
  readonly inDoubt: boolean;
  /** A copy of some attempt may be let in until then; undefined where none left. */
  readonly copiesExpireAt: number | undefined;
  /** Bids: nothing is sent after it. */
  readonly placeBy: number | undefined;
  /** When the service may have forgotten the key. */
  readonly keyExpiresAt: number;
  /** Until when the recorded bytes may be sent (again). */
  readonly sendableUntil: number;
  /** A backup was restored: never sent again. */
  readonly restored: boolean;
  readonly confirm: boolean;
  readonly verdict: Verdict | undefined;
  /** The refusal, or what kept it from being sent. */
  readonly refusal: ResultEvent | undefined;
  readonly unsent: { readonly reason: string; readonly why: string } | undefined;
  /** Why it is stuck or abandoned. */
  readonly why: string | undefined;
  /** The service answered for something that was never sent from here; A05 on this bid has to show that it is this one. */
  readonly claim: { readonly found: 'accepted' | 'rejected'; readonly bidId: string | undefined } | undefined;
  /** The first of the two absences that settle it, where it was seen. */
  readonly absentSince: number | undefined;
  /** How many refusals are on record: a lookup says with how many in view it began. */
  readonly refusalsSeen: number;
  /** The latest lookup that answered; if none did, the latest of all. */
  readonly lastLookup: LookupEvent | undefined;
  /** A10 has shown that the lot is closed. */
  readonly closed: boolean;
  /** Refused because two absences proved it, not by a reply. */
  readonly notRecorded: boolean;
}

/** @param keyRetentionMs for how long the service is trusted to remember a key, from its insert */
export function fold(content: IntentContent, keyRetentionMs: number): IntentStatus {
  const folding = new Folding(content, keyRetentionMs);
  for (const event of content.log) folding.apply(event);
  return folding;
}

class Folding implements IntentStatus {
  readonly #isBid: boolean;
  readonly #versioned: boolean;
  readonly #keyRetentionMs: number;
  readonly #attempts: Attempt[] = [];
  /** Attempts of this round begin here; a new round begins when it is placed again. */
  #roundStart = 0;
  #insertedAt = 0;
  placeBy: number | undefined;
  confirm = false;
  #lookup: Verdict | undefined;
  #bidRead: 'accepted' | 'rejected' | undefined;
  claim: IntentStatus['claim'];
  #stuck: string | undefined;
  /** The service has said that it holds other content under the key. */
  #keyConflict = false;
  /** The service contradicts a verdict that was reported: only a person can resolve that. */
  #contradicted: string | undefined;
  #abandoned: string | undefined;
  #unsent: IntentStatus['unsent'];
  restored = false;
  /** One absence was seen after the latest uncoded or unconfirmed reply. */
  #absentAfterReply = false;
  absentSince: number | undefined;
  /** Two absences inside the window: before them it was in doubt (`notRecorded`) or provisional (`final`). */
  notRecorded = false;
  #final = false;
  #expired = false;
  refusalsSeen = 0;
  lastLookup: LookupEvent | undefined;
  closed = false;

  constructor({ bid, target }: IntentContent, keyRetentionMs: number) {
    this.#isBid = bid !== undefined;
    this.#versioned = target?.versioned ?? false;
    this.#keyRetentionMs = keyRetentionMs;
  }

  apply(event: IntentEvent): void {
    const before = this.#state();
    const sawAcceptance = this.#sawAcceptance();
    switch (event.type) {
      case 'placed':
        this.#placed(event.at, event.placeBy, before);
        return;
      case 'confirm':
        this.confirm = true;
        return;
      case 'attempt':
        this.#attempted(event);
        return;
      case 'result':
        this.#result(event);
        break;
      case 'voided':
        this.#voided(event.ids);
        break;
      case 'lookup':
        this.#looked(event, before);
        break;
      case 'bid_read':
        if (event.found === 'accepted' || event.found === 'rejected') this.#bidRead = event.found;
        if (event.found === 'differs')
          this.#stuck = event.why ?? 'the service holds another bid under this key';
        break;
      case 'lot_read':
        this.closed ||= event.closed;
        return;
      case 'cancellation':
        return;
      case 'unsent':
        this.#unsent = { reason: event.reason, why: event.why };
        return;
      case 'stuck':
        this.#stuck = event.why;
        return;
      case 'abandoned':
        this.#abandoned = event.why;
        this.#stuck = undefined;
        this.#contradicted = undefined;
        return;
      case 'expired':
        this.#expired = true;
        return;
      case 'restored':
        this.restored = true;
        // What was sent after the backup is missing: it counts as one attempt, made now.
        this.#attempted({ n: 0, timestamp: Math.ceil(event.at / 1000) });
        return;
    }
    if (before.state === 'rejected' && !sawAcceptance && this.#sawAcceptance()) {
      this.#contradicted = 'it was reported as rejected, and the service now shows it as accepted';
    }
    if (before.state === 'accepted' && this.#lookup?.found === 'rejected') {
      this.#contradicted = 'it was reported as accepted, and its lookup shows it as rejected';
    }
  }

  get state(): IntentState {
    return this.#state().state;
  }

  get provisional(): boolean {
    return this.#state().provisional;
  }

  get expired(): boolean {
    return this.#expired && this.provisional;
  }

  get attempts(): number {
    return this.#attempts.length;
  }

  get inDoubt(): boolean {
    return this.#anyInDoubt();
  }

  get copiesExpireAt(): number | undefined {
    const lastSent = this.#lastSent();
    return lastSent === undefined ? undefined : lastSent + SIGNATURE_WINDOW_MS;
  }

  get keyExpiresAt(): number {
    return this.#insertedAt + this.#keyRetentionMs;
  }

  get refusal(): ResultEvent | undefined {
    return this.#attempts.findLast(({ state }) => state === 'refused' || state === 'uncoded')?.result;
  }

  get unsent(): IntentStatus['unsent'] {
    const last = this.#attempts.findLast(({ state }) => state === 'not_sent')?.result;
    return this.#unsent ?? (last && { reason: last.stop ?? 'network', why: last.why });
  }

  get why(): string | undefined {
    return this.#contradicted ?? this.#stuck ?? this.#abandoned;
  }

  get sendableUntil(): number {
    if (this.restored) return Number.NEGATIVE_INFINITY;
    const rememberedUntil = this.keyExpiresAt - SIGNATURE_WINDOW_MS;
    if (this.#isBid) return Math.min(this.placeBy ?? Number.POSITIVE_INFINITY, rememberedUntil);
    const round = this.#attempts.slice(this.#roundStart);
    const first = round.find((attempt) => mayHaveLeft(attempt))?.timestamp;
    if (this.#versioned || first === undefined) return rememberedUntil;
    return Math.min(rememberedUntil, first * 1000 + UNVERSIONED_RESEND_MS);
  }

  // What each event changes.

  #placed(at: number, placeBy: number | undefined, before: Folded): void {
    this.placeBy = placeBy ?? this.placeBy;
    if (this.#insertedAt === 0) {
      this.#insertedAt = at;
      return;
    }
    // What was final is over: no copy of it can be let in, and the key's retention begins again.
    if (!before.provisional && before.state !== 'ready') {
      this.#insertedAt = at;
      for (const attempt of this.#attempts) if (inDoubt(attempt)) attempt.state = 'absent';
    }
    this.#roundStart = this.#attempts.length;
    this.notRecorded = false;
    this.#final = false;
    this.absentSince = undefined;
    this.#unsent = undefined;
    this.closed = false;
  }

  /** Absences from before it say nothing about it. */
  #attempted({ n, timestamp }: Pick<AttemptEvent, 'n' | 'timestamp'>): void {
    this.#attempts.push({ n, timestamp, state: 'doubt' });
    this.#unsent = undefined;
    this.absentSince = undefined;
    this.#absentAfterReply = false;
    this.#final = false;
  }

  #result(event: ResultEvent): void {
    const attempt = this.#attempts.find(({ n }) => n === event.n);
    if (attempt === undefined) return;
    attempt.result = event;
    if (event.effect === 'uncoded' || event.effect === 'refused') this.refusalsSeen += 1;
    if (event.keyConflict === true) {
      this.#keyConflict = true;
      // What a lookup has shown before was the verdict of that content.
      this.#lookup = undefined;
      this.#stuck = 'the service holds other content under this key';
    }
    const isVerdict = event.effect === 'done' || event.effect === 'rejected';
    if (this.#isBid && ((isVerdict && this.#answersForOthers(event, attempt)) || event.bare409 === true)) {
      const found = event.effect === 'rejected' ? 'rejected' : 'accepted';
      this.claim = isVerdict ? { found, bidId: event.bidId } : (this.claim ?? { found, bidId: undefined });
      return;
    }
    switch (event.effect) {
      case 'done':
        attempt.state = 'accepted';
        return;
      case 'unknown':
        attempt.state = 'doubt';
        return;
      default:
        attempt.state = event.effect;
    }
  }

  /** A replay of something that no attempt of ours can have been. */
  #answersForOthers({ replayed }: ResultEvent, attempt: Attempt): boolean {
    return replayed === true && !this.#attempts.some((other) => other !== attempt && mayHaveLeft(other));
  }

  #voided(ids: readonly string[]): void {
    for (const attempt of this.#attempts) {
      const rests = ids.some((id) => id === attempt.result?.bidId || id === attempt.result?.requestId);
      if (rests && (attempt.state === 'accepted' || attempt.state === 'rejected')) attempt.state = 'doubt';
    }
  }

  #looked(event: LookupEvent, before: Folded): void {
    const hasAnswer = this.lastLookup !== undefined && this.lastLookup.found !== 'failed';
    if (event.found !== 'failed' || !hasAnswer) this.lastLookup = event;
    if (event.found === 'accepted' || event.found === 'rejected') {
      // It is the verdict of the other content.
      if (this.#keyConflict) return;
      // What this store never sent may belong to another program under the same key: A05 has to show that it is this bid.
      if (this.claim !== undefined) {
        const bidId = event.bidId ?? this.claim.bidId;
        this.claim = { found: event.found, bidId };
        if (bidId === undefined)
          this.#stuck = 'the service holds a bid under this key that this store never sent';
        return;
      }
      this.#lookup = { found: event.found, by: 'lookup', event };
      return;
    }
    if (event.found === 'absent' && this.#isBid && before.state !== 'ready') this.#absent(event, before);
  }

  #absent(event: LookupEvent, before: Folded): void {
    if (this.confirm) {
      for (const attempt of this.#attempts) {
        if (attempt.state === 'accepted' || attempt.state === 'rejected') attempt.state = 'doubt';
      }
    }
    const { keyExpiresAt } = this;
    // At no known time it proves nothing.
    const { observedAt = 0 } = event;
    if (event.refusalsSeen === this.refusalsSeen && (event.observedAt ?? event.at) <= keyExpiresAt)
      this.#absentAfterReply = true;
    if (!this.#inAbsenceWindow(observedAt, keyExpiresAt)) return;
    if (this.absentSince === undefined) this.absentSince = observedAt;
    else if (observedAt - this.absentSince >= ABSENCE_GAP_MS) {
      if (before.provisional) this.#final = true;
      else if (before.state === 'sent') this.notRecorded = true;
    }
  }

  /** No copy can be accepted any longer, and the service still remembers the key. */
  #inAbsenceWindow(observedAt: number, keyExpiresAt: number): boolean {
    const lastSent = this.#lastSent() ?? this.placeBy ?? 0;
    return observedAt > lastSent + SIGNATURE_WINDOW_MS && observedAt <= keyExpiresAt;
  }

  /** The latest timestamp of an attempt that may have left, Unix ms. */
  #lastSent(): number | undefined {
    const stamps = this.#attempts.filter(mayHaveLeft).map(({ timestamp }) => timestamp * 1000);
    return stamps.length === 0 ? undefined : Math.max(...stamps);
  }

  // What follows from it.

  #state(): Folded {
    return this.#isBid ? this.#bidState() : this.#commandState();
  }

  #bidState(): Folded {
    if (this.#contradicted !== undefined) return settled('stuck');
    const verdict = this.verdict;
    if (verdict?.found === 'accepted') return settled(this.#mustConfirm(verdict) ? 'sent' : 'accepted');
    if (verdict?.by === 'lookup') return settled('rejected');
    if (this.#stuck !== undefined) return settled('stuck');
    if (this.#abandoned !== undefined) return settled('abandoned');
    const rejected = this.#attempts.find(({ state }) => state === 'rejected');
    if (rejected !== undefined && !this.#anyInDoubt(rejected))
      return settled(this.confirm ? 'sent' : 'rejected');
    if (this.notRecorded) return settled('refused');
    const round = this.#attempts.slice(this.#roundStart);
    if (round.length === 0) {
      if (this.#unsent === undefined) return settled('ready');
      // An uncoded refusal of an earlier round may still turn out to be recorded: what was reported of that still holds.
      const isProvisional = this.#anyInDoubt() && !this.#final;
      return isProvisional ? { state: 'refused', provisional: true } : settled('not_sent');
    }
    const refused = round.find((attempt) => this.#isRefused(attempt));
    if (refused !== undefined) {
      const isCertain = refused.state === 'refused' && !this.confirm;
      return { state: 'refused', provisional: !isCertain && !this.#final };
    }
    const neverLeft = this.#attempts.every(
      ({ state }) => state === 'not_sent' || state === 'absent' || (state === 'refused' && !this.confirm),
    );
    return settled(neverLeft ? 'not_sent' : 'sent');
  }

  /** A refusal speaks for its own attempt only; an uncoded one, and any with `confirm`, needs a lookup besides. */
  #isRefused(attempt: Attempt): boolean {
    if (this.#anyInDoubt(attempt)) return false;
    if (attempt.state === 'refused') return !this.confirm || this.#absentAfterReply;
    return attempt.state === 'uncoded' && this.#absentAfterReply;
  }

  #mustConfirm({ by }: Verdict): boolean {
    return this.confirm && by === 'reply';
  }

  #commandState(): Folded {
    if (this.#attempts.some(({ state }) => state === 'accepted')) return settled('done');
    if (this.#stuck !== undefined) return settled('stuck');
    if (this.#abandoned !== undefined) return settled('abandoned');
    const round = this.#attempts.slice(this.#roundStart);
    if (round.length === 0) return settled(this.#unsent === undefined ? 'ready' : 'not_sent');
    const isRefused = round.some((attempt) => attempt.state === 'refused' && !this.#anyInDoubt(attempt));
    const repeated = this.#attempts.filter((attempt) => isRepeatable(attempt));
    const others = this.#attempts.some(
      (other) =>
        inDoubt(other) &&
        !repeated.includes(other) &&
        repeated.filter((reply) => speaksFor(reply, other)).length < 2,
    );
    if (isRefused || (repeated.length > 1 && !others)) return settled('refused');
    return settled(this.#anyInDoubt() ? 'sent' : 'not_sent');
  }

  get verdict(): Verdict | undefined {
    if (this.#lookup !== undefined) {
      const { found, event } = this.#lookup;
      const tellsMore = event.bidId !== undefined || event.record !== undefined || this.confirm;
      // A bare state settles it, but the reply has the receipt.
      return tellsMore ? this.#lookup : { found, by: 'lookup', event: this.#judged(found)?.result ?? event };
    }
    // A bid read in full (A05) is the service's own record, which outranks a reply.
    const claimed = this.#claimed();
    if (claimed !== undefined) return claimed;
    for (const found of ['accepted', 'rejected'] as const) {
      const result = this.#judged(found)?.result;
      if (result !== undefined) return { found, by: 'reply', event: result };
    }
    return undefined;
  }

  /** The first attempt whose reply came to this verdict. */
  #judged(found: Verdict['found']): Attempt | undefined {
    return this.#attempts.find(({ state }) => state === found);
  }

  /** What the service answered for something that was never sent from here, and A05 has shown to be this bid. */
  #claimed(): Verdict | undefined {
    const found = this.#bidRead;
    if (found === undefined || this.claim?.found !== found) return undefined;
    const event =
      this.#attempts.findLast(({ result }) => result?.replayed === true)?.result ?? this.lastLookup;
    return event === undefined ? undefined : { found, by: 'lookup', event };
  }

  #sawAcceptance(): boolean {
    return (
      this.#lookup?.found === 'accepted' ||
      this.#bidRead === 'accepted' ||
      this.#attempts.some(({ state }) => state === 'accepted')
    );
  }

  #anyInDoubt(except?: Attempt): boolean {
    return this.#attempts.some((attempt) => attempt !== except && inDoubt(attempt));
  }
}

/** A state as the fold computes it. */
interface Folded {
  readonly state: IntentState;
  /** A later lookup may still find something else. */
  readonly provisional: boolean;
}

function settled(state: IntentState): Folded {
  return { state, provisional: false };
}

/** Its timestamp decides for how long a copy of it can be let in. */
function mayHaveLeft({ state }: Attempt): boolean {
  return state !== 'not_sent' && state !== 'absent';
}

function inDoubt({ state }: Attempt): boolean {
  return state === 'doubt' || state === 'uncoded';
}

/**
 * Whether a message-only refusal of the same bytes also says that an earlier attempt had no effect: the service would have
 * repeated the result of one that had, and the signature of one that is still on its way has expired. A refusal with a code
 * says less: it may come from checks before the key is looked at.
 */
function speaksFor(reply: Attempt, earlier: Attempt): boolean {
  return (reply.timestamp - earlier.timestamp) * 1000 > SIGNATURE_WINDOW_MS;
}

/** A message-only refusal of a command that is believed when it is repeated; one about access could be a gateway's. */
function isRepeatable({ state, result }: Attempt): boolean {
  return state === 'uncoded' && [404, 409, 422].includes(result?.status ?? 0);
}
