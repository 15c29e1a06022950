import {
  ABSENCE_GAP_MS,
  type Facts,
  type Folded,
  inDoubt,
  type LoggedAttempt,
  lastSentAt,
  othersInDoubt,
  SIGNATURE_WINDOW_MS,
  settled,
} from './facts.js';

/** The state of a command. No lookup exists for commands: repeated refusals and the version of its record settle one. */
export function commandState(facts: Facts): Folded {
  const { attempts } = facts;
  if (attempts.some(({ state }) => state === 'accepted')) return settled('done');
  if (facts.stuck !== undefined) return settled('stuck');
  if (facts.abandoned !== undefined) return settled('abandoned');
  const round = attempts.slice(facts.roundStart);
  if (round.length === 0 && facts.unsent === undefined) return settled('ready');
  if (round.some((one) => one.state === 'refused' && !othersInDoubt(facts, one))) return settled('refused');
  const refused = facts.hasVersionLookup ? refusedByVersion(facts) : repeatedRefusal(facts);
  if (refused !== undefined) return refused;
  if (round.length === 0) return settled('not_sent');
  return settled(attempts.some(inDoubt) ? 'sent' : 'not_sent');
}

/** A refusal without a code that was repeated, while no other attempt is in doubt. */
function repeatedRefusal(facts: Facts): Folded | undefined {
  const { attempts } = facts;
  const repeated = attempts.filter((attempt) => isRepeatable(facts, attempt));
  const others = attempts.some(
    (other) =>
      inDoubt(other) &&
      !repeated.includes(other) &&
      repeated.filter((reply) => speaksFor(reply, other)).length < 2,
  );
  return repeated.length > 1 && !others ? settled('refused') : undefined;
}

/**
 * The state of a command that was turned away without a code, or never answered, by the version of its record.
 *
 * A record that still has the expected version was not changed by it. That is final once no copy can be let in; before, it
 * is provisional, and another command on this version is safe, because only one of them can take effect. A record that moved
 * was changed by this command or by another: the refusal is believed if the service named the version, if another command of
 * ours did it, or if it was repeated and the record moved once and does not show the effect. Under a second change the effect
 * of the first may be hidden.
 */
function refusedByVersion(facts: Facts): Folded | undefined {
  const { attempts, targetRead } = facts;
  const repeatable = attempts.filter((attempt) => isRepeatable(facts, attempt));
  const isNamed = repeatable.every(({ result }) => result?.namesVersion === true);
  const repeated = repeatedRefusal(facts);
  if (isNamed && repeated !== undefined) return repeated;
  if (targetRead === undefined || !attempts.some(inDoubt)) return undefined;
  const { at, version, expected, outrunBy, showsEffect = false } = targetRead;
  // The service itself says that it has no such record.
  if (version === undefined) return repeated;
  if (version === expected) {
    if (at > copiesEndAt(facts)) return settled('refused');
    return attempts.every(isTurnedAwayBy(at)) ? { state: 'refused', provisional: true } : undefined;
  }
  if (outrunBy !== undefined) return settled('refused');
  return showsEffect || version > expected + 1 ? undefined : repeated;
}

/** Whether attempts are in doubt only because a refusal had no code. */
export function isTurnedAway({ attempts }: Facts): boolean {
  return attempts.some(inDoubt) && attempts.every(({ state }) => state !== 'doubt');
}

/** Whether an attempt is not in doubt at a time, or only because its refusal had no code. */
function isTurnedAwayBy(at: number): (attempt: LoggedAttempt) => boolean {
  return ({ state, timestamp }) => state !== 'doubt' || at > copyEndsAt(timestamp * 1000);
}

/**
 * Time after which no copy that was sent at `sentAt` can be accepted, and each accepted one was carried out, Unix ms.
 */
function copyEndsAt(sentAt: number): number {
  return sentAt + SIGNATURE_WINDOW_MS + ABSENCE_GAP_MS;
}

function copiesEndAt(facts: Facts): number {
  return copyEndsAt(lastSentAt(facts) ?? 0);
}

/** Time from which reading its record can settle it, Unix ms; undefined if it can't. */
export function versionProvesFrom(facts: Facts, { state, provisional }: Folded): number | undefined {
  if (!facts.hasVersionLookup) return undefined;
  if (provisional) return copiesEndAt(facts) + 1;
  if (state !== 'sent') return undefined;
  const doubtful = facts.attempts.filter((attempt) => attempt.state === 'doubt');
  return Math.max(0, ...doubtful.map(({ timestamp }) => copyEndsAt(timestamp * 1000) + 1));
}

/**
 * Whether a message-only refusal of the same bytes also says that an earlier attempt had no effect: the service would have
 * repeated the result of one that had, and the signature of one that is still on its way has expired. A refusal with a code
 * says less: it may come from checks before the key is looked at.
 */
function speaksFor(reply: LoggedAttempt, earlier: LoggedAttempt): boolean {
  return (reply.timestamp - earlier.timestamp) * 1000 > SIGNATURE_WINDOW_MS;
}

/** Refusals without a code that are believed when they are repeated: with a version lookup only the service's own words. */
const REPEATABLE = [404, 409, 412, 422, 428];
const REPEATABLE_WITHOUT_LOOKUP = [...REPEATABLE, 400, 405, 410, 413, 415, 419, 423];

/** A refusal of a command that is believed when it is repeated; one about access could be a gateway's. */
function isRepeatable({ hasVersionLookup }: Facts, { state, result }: LoggedAttempt): boolean {
  const { status = 0, foreign = false } = result ?? {};
  if (state !== 'uncoded') return false;
  return hasVersionLookup
    ? !foreign && REPEATABLE.includes(status)
    : REPEATABLE_WITHOUT_LOOKUP.includes(status);
}
