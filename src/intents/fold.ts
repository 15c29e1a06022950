import type { SentBytes } from '../core/resend.js';
import type { IntentState } from '../store/intents.js';
import { commandState, isTurnedAway, versionProvesFrom } from './command-state.js';
import type {
  AttemptEvent,
  IntentContent,
  IntentEvent,
  LookupEvent,
  PlacedEvent,
  ResultEvent,
  TargetReadEvent,
} from './content.js';
import {
  ABSENCE_GAP_MS,
  type AttemptState,
  type Claim,
  type Facts,
  type Folded,
  inDoubt,
  type LoggedAttempt,
  lastSentAt,
  mayHaveLeft,
  type NeverSent,
  othersInDoubt,
  SIGNATURE_WINDOW_MS,
  settled,
  type Verdict,
} from './facts.js';
import { versionTargetOf } from './version-targets.js';

/**
 * The state machine of an intent. `fold` computes everything that is known from the log alone; nothing else decides the
 * state of an intent. docs/architecture.md draws it.
 *
 * Words: an attempt is *in doubt* while the service may have let it in and nothing has proved otherwise. *Absence* is what
 * a lookup (A06) shows when nothing is recorded under the key; it proves something only inside the absence window.
 */

/** A command without `expected_version` may be sent again for this time after its first attempt, ms (unknowns). */
const UNVERSIONED_RESEND_MS = 600_000;

/** Everything that is known of an intent. Times are Unix ms in server time. */
export interface IntentStatus {
  readonly state: IntentState;
  /** Settled for now: a later lookup may still find something else. */
  readonly provisional: boolean;
  /** Provisional, and the service may have forgotten the key: nothing more will be found out. */
  readonly expired: boolean;
  /** Attempts that were announced, in all calls. */
  readonly attempts: number;
  /** True if an attempt is in doubt. */
  readonly inDoubt: boolean;
  /** Time until which a copy of an attempt may be accepted; undefined if none was sent. */
  readonly copiesExpireAt: number | undefined;
  /** Latest time to send a bid. */
  readonly placeBy: number | undefined;
  /** Time from which the service may have forgotten the key. */
  readonly keyExpiresAt: number;
  /** Time until which the recorded bytes may be sent (again). */
  readonly sendableUntil: number;
  /** True after a backup was restored: it is never sent again. */
  readonly restored: boolean;
  readonly confirm: boolean;
  readonly verdict: Verdict | undefined;
  /** The refusal, or the failure that kept it from being sent. */
  readonly refusal: ResultEvent | undefined;
  readonly unsent: NeverSent | undefined;
  /** Why it is stuck or abandoned. */
  readonly why: string | undefined;
  readonly claim: Claim | undefined;
  /** The first of the two absences that settle it, if it was seen. */
  readonly absentSince: number | undefined;
  /** Number of refusals on record; a lookup states how many there were when it began. */
  readonly refusalsSeen: number;
  /** The latest lookup that answered; if none did, the latest of all. */
  readonly lastLookup: LookupEvent | undefined;
  /** Decides, with `sendableUntil`, whether the recorded bytes may be sent again. */
  readonly sent: SentBytes;
  /** True if two absences, not a reply, proved the refusal. */
  readonly notRecorded: boolean;
  /** Commands: true if every attempt in doubt was refused without a code. */
  readonly turnedAway: boolean;
  /** Commands: time from which reading their record can settle them, Unix ms; undefined if it can't. */
  readonly versionProvesFrom: number | undefined;
  /** Result of that read since the last attempt. */
  readonly targetRead: TargetReadEvent | undefined;
}

/** @param keyRetentionMs time for which the service is trusted to remember a key, from its insert */
export function fold(content: IntentContent, keyRetentionMs: number): IntentStatus {
  return statusOf(content.log.reduce(afterEvent, noFacts(content, keyRetentionMs)));
}

/** Facts of an intent before its first event. */
export function noFacts({ bid, target }: Omit<IntentContent, 'log'>, keyRetentionMs: number): Facts {
  return {
    isBid: bid !== undefined,
    versioned: target?.versioned ?? false,
    hasVersionLookup: bid === undefined && versionTargetOf({ target }) !== undefined,
    keyRetentionMs,
    attempts: [],
    roundStart: 0,
    confirm: false,
    restored: false,
    closed: false,
    refusalsSeen: 0,
    wasRejected: false,
    absentAfterReply: false,
    notRecorded: false,
    final: false,
    expired: false,
    keyConflict: false,
  };
}

/** Facts after one more event. */
export function afterEvent(facts: Facts, event: IntentEvent): Facts {
  const before = foldedState(facts);
  const after = applied(facts, event, before);
  if (before.state === 'rejected' && !sawAcceptance(facts) && sawAcceptance(after)) {
    return {
      ...after,
      contradicted: 'it was reported as rejected, and the service now shows it as accepted',
    };
  }
  if (before.state === 'accepted' && after.lookup?.found === 'rejected') {
    return { ...after, contradicted: 'it was reported as accepted, and its lookup shows it as rejected' };
  }
  return after;
}

// What each event changes.

function applied(facts: Facts, event: IntentEvent, before: Folded): Facts {
  switch (event.type) {
    case 'placed':
      return placed(facts, event, before);
    case 'confirm':
      return { ...facts, confirm: true };
    case 'attempt':
      return attempted(facts, event);
    case 'result':
      return unlessContradictory(answered(facts, event), before);
    case 'voided':
      return voided(facts, event.ids);
    case 'lookup':
      return looked(facts, event, before);
    case 'bid_read':
      if (event.found === 'differs')
        return { ...facts, stuck: event.why ?? 'the service holds another bid under this key' };
      return event.found === 'failed' ? facts : { ...facts, bidRead: event.found };
    case 'target_read':
      return { ...facts, targetRead: event };
    case 'lot_read':
      return { ...facts, closed: facts.closed || event.closed };
    case 'unsent':
      return { ...facts, unsent: { reason: event.reason, why: event.why } };
    case 'stuck':
      return { ...facts, stuck: event.why };
    case 'abandoned':
      return { ...facts, abandoned: event.why, stuck: undefined, contradicted: undefined };
    case 'clock_corrected':
      return corrected(facts, event);
    case 'expired':
      return { ...facts, expired: true };
    case 'restored':
      // Attempts after the backup are missing: they count as one attempt, made now.
      return { ...attempted(facts, { n: 0, timestamp: Math.ceil(event.at / 1000) }), restored: true };
    case 'cancellation':
      return facts;
  }
}

function placed(facts: Facts, { at, placeBy }: PlacedEvent, before: Folded): Facts {
  if (facts.insertedAt === undefined) return { ...facts, insertedAt: at, placeBy };
  // A final outcome is over: no copy of it can be accepted, and the retention of the key begins again.
  const isOver = !before.provisional && before.state !== 'ready';
  return {
    ...facts,
    placeBy,
    ...(isOver && { insertedAt: at, attempts: changed(facts.attempts, inDoubt, 'absent') }),
    roundStart: facts.attempts.length,
    notRecorded: false,
    final: false,
    absentSince: undefined,
    unsent: undefined,
    closed: false,
  };
}

/** The retention of the key is counted from the earlier of both times. */
function corrected(facts: Facts, { by, placeBy }: Extract<IntentEvent, { type: 'clock_corrected' }>): Facts {
  const { insertedAt } = facts;
  return {
    ...facts,
    placeBy,
    ...(insertedAt !== undefined && { insertedAt: Math.min(insertedAt, insertedAt + by) }),
  };
}

/** Absences before this attempt say nothing about it. */
function attempted(facts: Facts, { n, timestamp }: Pick<AttemptEvent, 'n' | 'timestamp'>): Facts {
  return {
    ...facts,
    attempts: [...facts.attempts, { n, timestamp, state: 'doubt' }],
    unsent: undefined,
    targetRead: undefined,
    absentSince: undefined,
    absentAfterReply: false,
    final: false,
  };
}

function answered(facts: Facts, event: ResultEvent): Facts {
  const { effect } = event;
  const refusalsSeen = facts.refusalsSeen + (effect === 'uncoded' || effect === 'refused' ? 1 : 0);
  const conflict = {
    keyConflict: true,
    // An earlier lookup showed the verdict of the other content.
    lookup: undefined,
    stuck: 'the service holds other content under this key',
  };
  const isVerdict = effect === 'done' || effect === 'rejected';
  const others = facts.attempts.filter(({ n }) => n !== event.n);
  // A replay that no attempt of this store can have caused.
  const isOfOthers = isVerdict && event.replayed === true && !others.some(mayHaveLeft);
  const isClaimed = facts.isBid && (isOfOthers || event.bare409 === true);
  const found: Verdict['found'] = effect === 'rejected' ? 'rejected' : 'accepted';
  const claim = isVerdict ? { found, bidId: event.bidId } : (facts.claim ?? { found, bidId: undefined });
  return {
    ...facts,
    refusalsSeen,
    targetRead: undefined,
    last: event,
    wasRejected: facts.wasRejected || effect === 'rejected',
    ...(event.keyConflict === true && conflict),
    ...(isClaimed && { claim }),
    attempts: facts.attempts.map((attempt) =>
      attempt.n === event.n
        ? { ...attempt, result: event, state: isClaimed ? 'doubt' : stateAfter[effect] }
        : attempt,
    ),
  };
}

/**
 * If replies have different verdicts, or the ids of different bids, one of them belongs to another key: a lookup
 * decides.
 */
function unlessContradictory(facts: Facts, before: Folded): Facts {
  const { isBid, attempts } = facts;
  // A bid that was reported as rejected needs manual resolution.
  if (!isBid || before.state === 'rejected') return facts;
  const judged = attempts.filter(isJudged);
  const verdicts = new Set(judged.map(({ state }) => state));
  const ids = new Set(judged.flatMap(({ result }) => result?.bidId ?? []));
  if (verdicts.size < 2 && ids.size < 2) return facts;
  return { ...facts, attempts: changed(attempts, isJudged, 'doubt') };
}

const stateAfter = {
  done: 'accepted',
  rejected: 'rejected',
  refused: 'refused',
  uncoded: 'uncoded',
  not_sent: 'not_sent',
  unknown: 'doubt',
} as const satisfies Record<ResultEvent['effect'], AttemptState>;

function voided(facts: Facts, ids: readonly string[]): Facts {
  const rests = (attempt: LoggedAttempt) =>
    isJudged(attempt) && ids.some((id) => id === attempt.result?.bidId || id === attempt.result?.requestId);
  return { ...facts, attempts: changed(facts.attempts, rests, 'doubt') };
}

function looked(known: Facts, event: LookupEvent, before: Folded): Facts {
  const { found } = event;
  const hasAnswer = known.lastLookup !== undefined && known.lastLookup.found !== 'failed';
  const facts = found !== 'failed' || !hasAnswer ? { ...known, lastLookup: event } : known;
  if (found === 'accepted' || found === 'rejected') {
    // It is the verdict of the other content.
    if (facts.keyConflict) return facts;
    if (facts.claim === undefined) return { ...facts, lookup: { found, by: 'lookup', event } };
    // A bid that this store never sent may belong to another program under the same key: A05 has to show that it is
    // this one.
    const bidId = event.bidId ?? facts.claim.bidId;
    const unreadable = 'the service holds a bid under this key that this store never sent';
    return { ...facts, claim: { found, bidId }, ...(bidId === undefined && { stuck: unreadable }) };
  }
  return found === 'absent' && facts.isBid && before.state !== 'ready' ? absent(facts, event, before) : facts;
}

function absent(known: Facts, event: LookupEvent, before: Folded): Facts {
  const isAnswered = event.refusalsSeen === known.refusalsSeen;
  const isRemembered = (event.observedAt ?? event.at) <= keyExpiry(known);
  const facts: Facts = {
    ...known,
    ...(known.confirm && { attempts: changed(known.attempts, isJudged, 'doubt') }),
    absentAfterReply: known.absentAfterReply || (isAnswered && isRemembered),
  };
  // An absence at an unknown time proves nothing.
  const { observedAt = 0 } = event;
  if (!isInAbsenceWindow(facts, observedAt)) return facts;
  if (facts.absentSince === undefined) return { ...facts, absentSince: observedAt };
  if (observedAt - facts.absentSince < ABSENCE_GAP_MS) return facts;
  if (before.provisional) return { ...facts, final: true };
  return before.state === 'sent' ? { ...facts, notRecorded: true } : facts;
}

/** True if no copy can be accepted any longer and the service still remembers the key. */
function isInAbsenceWindow(facts: Facts, observedAt: number): boolean {
  const lastSent = lastSentAt(facts) ?? facts.placeBy ?? 0;
  return observedAt > lastSent + SIGNATURE_WINDOW_MS && observedAt <= keyExpiry(facts);
}

function changed(
  attempts: readonly LoggedAttempt[],
  which: (attempt: LoggedAttempt) => boolean,
  state: AttemptState,
): readonly LoggedAttempt[] {
  return attempts.map((attempt) => (which(attempt) ? { ...attempt, state } : attempt));
}

// Conclusions from the facts.

/** Concludes the status from the facts. */
export function statusOf(facts: Facts): IntentStatus {
  const { attempts, placeBy, restored, confirm, claim, absentSince, refusalsSeen, lastLookup } = facts;
  const folded = foldedState(facts);
  const { state, provisional } = folded;
  const lastSent = lastSentAt(facts);
  const notSent = attempts.findLast((attempt) => attempt.state === 'not_sent')?.result;
  return {
    state,
    provisional,
    expired: facts.expired && provisional,
    attempts: attempts.length,
    inDoubt: attempts.some(inDoubt),
    copiesExpireAt: lastSent === undefined ? undefined : lastSent + SIGNATURE_WINDOW_MS,
    placeBy,
    keyExpiresAt: keyExpiry(facts),
    sendableUntil: sendableUntil(facts),
    restored,
    confirm,
    verdict: verdictOf(facts),
    refusal: attempts.findLast((attempt) => attempt.state === 'refused' || attempt.state === 'uncoded')
      ?.result,
    unsent:
      facts.unsent ??
      (notSent && {
        reason: notSent.stop ?? 'network',
        why: notSent.why,
        connection: notSent.connection,
      }),
    why: facts.contradicted ?? facts.stuck ?? facts.abandoned,
    claim,
    absentSince,
    refusalsSeen,
    lastLookup,
    sent: { last: facts.last, wasRejected: facts.wasRejected, isClosed: facts.closed },
    notRecorded: facts.notRecorded,
    turnedAway: !facts.isBid && isTurnedAway(facts),
    versionProvesFrom: facts.isBid ? undefined : versionProvesFrom(facts, folded),
    targetRead: facts.targetRead,
  };
}

function foldedState(facts: Facts): Folded {
  return facts.isBid ? bidState(facts) : commandState(facts);
}

function bidState(facts: Facts): Folded {
  const { attempts, confirm, final } = facts;
  if (facts.contradicted !== undefined) return settled('stuck');
  const verdict = verdictOf(facts);
  const mustConfirm = confirm && verdict?.by === 'reply';
  if (verdict?.found === 'accepted' && !mustConfirm) return settled('accepted');
  if (verdict?.by === 'lookup') return settled('rejected');
  if (facts.stuck !== undefined) return settled('stuck');
  if (facts.abandoned !== undefined) return settled('abandoned');
  // An acceptance that no lookup has confirmed yet.
  if (verdict?.found === 'accepted') return settled('sent');
  const rejected = attempts.find(({ state }) => state === 'rejected');
  if (rejected !== undefined && !othersInDoubt(facts, rejected))
    return settled(confirm ? 'sent' : 'rejected');
  if (facts.notRecorded) return settled('refused');
  const round = attempts.slice(facts.roundStart);
  if (round.length === 0) {
    if (facts.unsent === undefined) return settled('ready');
    // An uncoded refusal of an earlier round may still turn out to be recorded: the outcome that was reported still
    // holds.
    const isProvisional = attempts.some(inDoubt) && !final;
    return isProvisional ? { state: 'refused', provisional: true } : settled('not_sent');
  }
  const refused = round.find((attempt) => isRefused(facts, attempt));
  if (refused !== undefined) {
    const isCertain = refused.state === 'refused' && !confirm && !attempts.some(inDoubt);
    return { state: 'refused', provisional: !isCertain && !final };
  }
  const neverLeft = attempts.every(
    ({ state }) => state === 'not_sent' || state === 'absent' || (state === 'refused' && !confirm),
  );
  return settled(neverLeft ? 'not_sent' : 'sent');
}

/**
 * A refusal speaks for its own attempt only; an uncoded one, and any with `confirm`, also needs a lookup. A lookup
 * after the latest reply speaks for all attempts that were refused, and for none that was not answered.
 */
function isRefused({ attempts, confirm, absentAfterReply }: Facts, { state }: LoggedAttempt): boolean {
  if (state !== 'refused' && state !== 'uncoded') return false;
  if (attempts.some((attempt) => attempt.state === 'doubt')) return false;
  return absentAfterReply || (!confirm && !attempts.some(inDoubt));
}

function verdictOf(facts: Facts): Verdict | undefined {
  const { attempts, lookup } = facts;
  const judged = (found: Verdict['found']) => attempts.find(({ state }) => state === found)?.result;
  if (lookup !== undefined) {
    const { found, event } = lookup;
    const tellsMore = event.bidId !== undefined || event.record !== undefined || facts.confirm;
    // The lookup settles it even with a bare state, but then the reply has the receipt.
    return tellsMore ? lookup : { found, by: 'lookup', event: judged(found) ?? event };
  }
  // A verdict on a request that this store never sent, which A05 has shown to be about this bid: a bid that is read in
  // full is the service's own record, which outranks a reply.
  if (facts.bidRead !== undefined && facts.claim?.found === facts.bidRead) {
    const replay = attempts.findLast(({ result }) => result?.replayed === true)?.result;
    const event = replay ?? facts.lastLookup;
    if (event !== undefined) return { found: facts.bidRead, by: 'lookup', event };
  }
  for (const found of ['accepted', 'rejected'] as const) {
    const event = judged(found);
    if (event !== undefined) return { found, by: 'reply', event };
  }
  return undefined;
}

function sawAcceptance({ lookup, bidRead, attempts }: Facts): boolean {
  const isAccepted = attempts.some(({ state }) => state === 'accepted');
  return lookup?.found === 'accepted' || bidRead === 'accepted' || isAccepted;
}

function keyExpiry({ insertedAt = 0, keyRetentionMs }: Facts): number {
  return insertedAt + keyRetentionMs;
}

function sendableUntil(facts: Facts): number {
  if (facts.restored) return Number.NEGATIVE_INFINITY;
  const rememberedUntil = keyExpiry(facts) - SIGNATURE_WINDOW_MS;
  if (facts.isBid) return Math.min(facts.placeBy ?? Number.POSITIVE_INFINITY, rememberedUntil);
  const first = facts.attempts.slice(facts.roundStart).find(mayHaveLeft)?.timestamp;
  if (facts.versioned || first === undefined) return rememberedUntil;
  return Math.min(rememberedUntil, first * 1000 + UNVERSIONED_RESEND_MS);
}

function isJudged({ state }: LoggedAttempt): boolean {
  return state === 'accepted' || state === 'rejected';
}
