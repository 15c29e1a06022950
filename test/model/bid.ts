import { mayBeSentAgain } from '../../src/core/resend.js';
import type { IntentEvent, LookupEvent } from '../../src/intents/content.js';
import type { Facts } from '../../src/intents/facts.js';
import type { Model, Move } from './explore.js';
import type { BidReply } from './replies.js';
import {
  attemptEvent,
  factsOf,
  factsText,
  isFresh,
  isLeft,
  type Luck,
  REMEMBERED,
  type Result,
  RULES,
  type Rules,
  resultEvent,
  spent,
  timeOf,
  waiting,
  without,
} from './world.js';

/**
 * One bid under one key, sent by any number of processes: whatever the record permits may be done at any time, and a lookup
 * may be recorded long after the service answered it.
 */

export interface BidScope {
  /** Ticks from placing until nothing may leave any more; undefined for a row of a batch without a close. */
  readonly placeBy: number | undefined;
  readonly attempts: number;
  readonly end: number;
  readonly confirm?: boolean;
  /** Copies, lies of a gateway, placings again, closes. */
  readonly luck: Luck;
  readonly results: Readonly<Record<BidReply, Result>>;
  readonly rules?: Rules;
  /** A mistake that must be found. */
  readonly mistake?: 'sends after a close' | 'sends after placeBy';
}

interface Look {
  readonly found: 'accepted' | 'rejected' | 'absent';
  readonly tick: number;
  readonly refusalsSeen: number;
}

interface World {
  readonly tick: number;
  readonly facts: Facts;
  /** The service's record of the key, and when it was made. */
  readonly record: '' | 'accepted' | 'rejected';
  readonly recordedAt: number;
  readonly acceptances: number;
  readonly isForgotten: boolean;
  /** Attempt that the service is carrying out, or 0. */
  readonly busy: number;
  /** Attempts whose nonce the service has seen. */
  readonly seen: readonly number[];
  /** Copies under way, by the number of their attempt. */
  readonly wire: readonly number[];
  readonly replies: readonly (readonly [n: number, reply: BidReply])[];
  readonly looks: readonly Look[];
  /** Something left although it was known to be too late. */
  readonly leftLate: string;
  readonly luck: Luck;
}

export function bidModel(scope: BidScope): Model<World> {
  const rules = scope.rules ?? RULES;
  const placed = (tick: number): IntentEvent => ({
    type: 'placed',
    at: timeOf(tick),
    ...(scope.placeBy !== undefined && { placeBy: timeOf(tick + scope.placeBy) }),
  });
  const after = (world: World, ...events: readonly IntentEvent[]): World => ({
    ...world,
    facts: events.reduce(rules.afterEvent, world.facts),
  });
  const confirm: readonly IntentEvent[] = scope.confirm === true ? [{ type: 'confirm', at: timeOf(0) }] : [];
  const start: World = {
    tick: 0,
    facts: [placed(0), ...confirm].reduce(rules.afterEvent, factsOf('bid')),
    record: '',
    recordedAt: 0,
    acceptances: 0,
    isForgotten: false,
    busy: 0,
    seen: [],
    wire: [],
    replies: [],
    looks: [],
    leftLate: '',
    luck: scope.luck,
  };

  function* moves(world: World): Generator<Move<World>> {
    if (world.tick < scope.end && world.busy === 0)
      yield { label: 'a tick passes', kind: 'step', state: passed(world) };
    yield* service(world);
    yield* network(world);
    yield* processes(world);
    yield* people(world);
  }

  /** What a lookup has shown is recorded in its tick or in the next one. */
  function passed(world: World): World {
    return { ...world, tick: world.tick + 1, looks: world.looks.filter(({ tick }) => tick === world.tick) };
  }

  function* service(world: World): Generator<Move<World>> {
    const isOld = world.record !== '' && world.tick > world.recordedAt + REMEMBERED;
    if (isOld)
      yield {
        label: 'the service forgets the key',
        kind: 'fault',
        state: { ...world, record: '', isForgotten: world.isForgotten || world.record === 'accepted' },
      };
    if (world.busy > 0) {
      for (const verdict of ['accepted', 'rejected'] as const)
        yield {
          label: `the service commits: ${verdict}`,
          kind: 'step',
          state: answered(recorded({ ...world, busy: 0 }, verdict), world.busy, verdict),
        };
    }
    for (const [place, n] of world.wire.entries()) {
      const hasSeen = world.seen.includes(n);
      const met = {
        ...world,
        wire: without(world.wire, place),
        seen: hasSeen ? world.seen : [...world.seen, n],
      };
      const arrives = (reply: BidReply, state = met): Move<World> => ({
        label: `attempt ${n} arrives: ${reply}`,
        kind: 'step',
        state: answered(state, n, reply),
      });
      // TIMESTAMP_EXPIRED and NONCE_REPLAYED say no more than no reply does.
      if (hasSeen || !isFresh(world.facts, n, world.tick)) continue;
      yield arrives('refused with a code');
      if (world.record !== '')
        yield arrives(world.record === 'accepted' ? 'replay of an acceptance' : 'replay of a rejection');
      else if (world.busy === 0) {
        yield arrives('bare');
        yield arrives('accepted', recorded(met, 'accepted'));
        yield arrives('rejected', recorded(met, 'rejected'));
        yield { label: `attempt ${n} arrives and is carried out`, kind: 'step', state: { ...met, busy: n } };
      }
    }
  }

  /** A reply for which no call waits is lost. */
  function answered(world: World, n: number, reply: BidReply): World {
    return waiting(world.facts).includes(n) ? { ...world, replies: [...world.replies, [n, reply]] } : world;
  }

  function recorded(world: World, record: 'accepted' | 'rejected'): World {
    const acceptances = world.acceptances + (record === 'accepted' ? 1 : 0);
    return { ...world, record, recordedAt: world.tick, acceptances };
  }

  function* network(world: World): Generator<Move<World>> {
    if (isLeft(world.luck, 'copy'))
      for (const n of new Set(world.wire))
        yield {
          label: `attempt ${n} is copied`,
          kind: 'fault',
          state: { ...world, wire: [...world.wire, n], luck: spent(world.luck, 'copy') },
        };
    for (const [place, [n, reply]] of world.replies.entries()) {
      const rest = { ...world, replies: without(world.replies, place) };
      if (!waiting(world.facts).includes(n)) continue;
      yield {
        label: `the reply to attempt ${n} is recorded: ${reply}`,
        kind: 'step',
        state: after(rest, resultEvent(n, scope.results[reply])),
      };
      if (isLeft(world.luck, 'lie') && reply !== 'bare')
        yield {
          label: `a gateway puts a refusal in place of the reply to attempt ${n}`,
          kind: 'fault',
          state: after({ ...rest, luck: spent(world.luck, 'lie') }, resultEvent(n, scope.results.bare)),
        };
    }
    for (const n of waiting(world.facts)) {
      yield {
        label: `attempt ${n} has no reply`,
        kind: 'step',
        state: after(world, resultEvent(n, scope.results['no reply'])),
      };
      const isOnlyCopy = world.wire.filter((other) => other === n).length === 1 && !world.seen.includes(n);
      const place = world.wire.indexOf(n);
      if (isOnlyCopy && world.busy !== n)
        yield {
          label: `attempt ${n} finds no connection`,
          kind: 'fault',
          state: after(
            { ...world, wire: without(world.wire, place) },
            resultEvent(n, scope.results['no connection']),
          ),
        };
      if (isLeft(world.luck, 'lie') && (world.wire.includes(n) || world.busy === n))
        yield {
          label: `a gateway refuses attempt ${n} while a copy is under way`,
          kind: 'fault',
          state: after({ ...world, luck: spent(world.luck, 'lie') }, resultEvent(n, scope.results.bare)),
        };
    }
  }

  function* processes(world: World): Generator<Move<World>> {
    const status = rules.statusOf(world.facts);
    const { state, sent, claim, sendableUntil, attempts, keyExpiresAt } = status;
    const now = timeOf(world.tick);
    const isOpen = state === 'ready' || state === 'sent';
    const ignored = { ...sent, ...(scope.mistake === 'sends after a close' && { isClosed: false }) };
    const msLeft = scope.mistake === 'sends after placeBy' ? 1 : sendableUntil - now;
    if (isOpen && attempts < scope.attempts && mayBeSentAgain('by_caller', ignored, msLeft)) {
      const n = attempts + 1;
      const isLate = world.facts.placeBy !== undefined && now > world.facts.placeBy;
      const leftLate = world.facts.closed
        ? 'after a close that was known'
        : isLate
          ? 'after its placeBy'
          : '';
      const departed = after(world, attemptEvent(n, world.tick));
      yield {
        label: `attempt ${n} leaves`,
        kind: state === 'ready' ? 'step' : 'person',
        state: { ...departed, wire: [...world.wire, n], leftLate: world.leftLate || leftLate },
      };
    }
    const found = world.record === '' ? 'absent' : world.record;
    if (world.looks.length === 0)
      yield {
        label: `a lookup is answered: ${found}`,
        kind: 'step',
        state: { ...world, looks: [{ found, tick: world.tick, refusalsSeen: status.refusalsSeen }] },
      };
    for (const look of world.looks) {
      const { tick, ...shown } = look;
      const event: LookupEvent = { type: 'lookup', at: timeOf(tick), observedAt: timeOf(tick), ...shown };
      const learnt = after({ ...world, looks: [] }, event);
      // What was never sent is settled by one absence, unless it was sent meanwhile.
      const unsent: IntentEvent = { type: 'unsent', at: now, reason: 'interrupted', why: 'it ended' };
      const isAbsent =
        look.found === 'absent' && state === 'ready' && tick === world.tick && world.record === '';
      yield {
        label: `that lookup is recorded`,
        kind: 'step',
        state: isAbsent ? after(learnt, unsent) : learnt,
      };
    }
    if (claim !== undefined && state === 'sent') {
      const truth = world.record || (world.acceptances > 0 ? 'accepted' : 'differs');
      yield {
        label: `A05 shows: ${truth}`,
        kind: 'step',
        state: after(world, { type: 'bid_read', at: now, found: truth }),
      };
    }
    if (now > keyExpiresAt && state === 'sent')
      yield {
        label: 'it is given up',
        kind: 'step',
        state: after(world, { type: 'stuck', at: now, why: 'late' }),
      };
    if (now > keyExpiresAt && status.provisional && !status.expired)
      yield { label: 'it stays as it is', kind: 'step', state: after(world, { type: 'expired', at: now }) };
  }

  function* people(world: World): Generator<Move<World>> {
    const { state } = rules.statusOf(world.facts);
    const { luck } = world;
    const now = timeOf(world.tick);
    if (isLeft(luck, 'again') && (state === 'refused' || state === 'not_sent'))
      yield {
        label: 'it is placed again',
        kind: 'person',
        state: after({ ...world, luck: spent(luck, 'again') }, placed(world.tick), ...confirm),
      };
    if (isLeft(luck, 'close') && !world.facts.closed)
      yield {
        label: 'A10 shows that the lot is closed',
        kind: 'person',
        state: after({ ...world, luck: spent(luck, 'close') }, { type: 'lot_read', at: now, closed: true }),
      };
  }

  function broken(world: World): string[] {
    const { state, provisional } = rules.statusOf(world.facts);
    const wrong: string[] = [];
    if (world.acceptances > 1) wrong.push('accepted twice');
    if (world.leftLate !== '') wrong.push(`left ${world.leftLate}`);
    if (state === 'accepted' && world.acceptances === 0) wrong.push('reported as accepted, and it was not');
    const isFinal = state === 'rejected' || state === 'not_sent' || (state === 'refused' && !provisional);
    if (isFinal && world.acceptances > 0) wrong.push(`reported as ${state}, and it was accepted`);
    return wrong;
  }

  return {
    start,
    moves,
    broken,
    isSettled: (world) => {
      const { state, provisional, expired } = rules.statusOf(world.facts);
      return state !== 'ready' && state !== 'sent' && (!provisional || expired);
    },
    text: ({ facts, ...world }) => {
      const { replies, wire } = world;
      const awaited = waiting(facts);
      const mayArrive = wire.filter((n) => isFresh(facts, n, world.tick)).toSorted();
      const seen = world.seen.filter((n) => mayArrive.includes(n)).toSorted();
      const received = replies.filter(([n]) => awaited.includes(n)).toSorted();
      return JSON.stringify([{ ...world, wire: mayArrive, seen, replies: received }, factsText(facts)]);
    },
  };
}
