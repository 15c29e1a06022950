import { mayBeSentAgain } from '../../src/core/resend.js';
import type { IntentEvent } from '../../src/intents/content.js';
import type { Facts } from '../../src/intents/facts.js';
import type { Model, Move } from './explore.js';
import type { CommandReply } from './replies.js';
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
 * One command under one key. A decision changes a record whose version it sends and which can be read; a plain command has
 * neither. Its recorded bytes are sent again, its record read and its intent given up whenever the record permits it.
 */

export interface CommandScope {
  readonly kind: 'command' | 'decision';
  readonly attempts: number;
  readonly end: number;
  /** Copies, lies of a gateway, changes of the record by others. */
  readonly luck: Luck;
  /** The service itself never refuses without a code. */
  readonly hasCodes?: boolean;
  readonly results: Readonly<Record<CommandReply, Result>>;
  readonly rules?: Rules;
}

interface World {
  readonly tick: number;
  readonly facts: Facts;
  /** When the service carried it out and recorded its key; undefined while it has no record. */
  readonly doneAt: number | undefined;
  readonly effects: number;
  /** Changes of the record, by this command and by others. */
  readonly version: number;
  /** The record shows what this command would have done. */
  readonly shows: boolean;
  readonly seen: readonly number[];
  readonly wire: readonly number[];
  readonly replies: readonly (readonly [n: number, reply: CommandReply])[];
  readonly luck: Luck;
}

/** The version that the decision was made on. */
const EXPECTED = 3;

export function commandModel(scope: CommandScope): Model<World> {
  const rules = scope.rules ?? RULES;
  const isDecision = scope.kind === 'decision';
  const after = (world: World, ...events: readonly IntentEvent[]): World => ({
    ...world,
    facts: events.reduce(rules.afterEvent, world.facts),
  });
  const placed: IntentEvent = { type: 'placed', at: timeOf(0) };
  const start: World = {
    tick: 0,
    facts: rules.afterEvent(factsOf(scope.kind), placed),
    doneAt: undefined,
    effects: 0,
    version: EXPECTED,
    shows: false,
    seen: [],
    wire: [],
    replies: [],
    luck: scope.luck,
  };

  function* moves(world: World): Generator<Move<World>> {
    if (world.tick < scope.end)
      yield { label: 'a tick passes', kind: 'step', state: { ...world, tick: world.tick + 1 } };
    yield* service(world);
    yield* network(world);
    yield* processes(world);
  }

  function* service(world: World): Generator<Move<World>> {
    if (world.doneAt !== undefined && world.tick > world.doneAt + REMEMBERED)
      yield { label: 'the service forgets the key', kind: 'fault', state: { ...world, doneAt: undefined } };
    if (isDecision && isLeft(world.luck, 'rival')) {
      const moved = { ...world, version: world.version + 1, luck: spent(world.luck, 'rival') };
      yield { label: 'another program changes the record', kind: 'fault', state: { ...moved, shows: false } };
      yield { label: 'another program decides the same', kind: 'fault', state: { ...moved, shows: true } };
    }
    for (const [place, n] of world.wire.entries()) {
      const hasSeen = world.seen.includes(n);
      const met = {
        ...world,
        wire: without(world.wire, place),
        seen: hasSeen ? world.seen : [...world.seen, n],
      };
      const arrives = (reply: CommandReply, state: World = met): Move<World> => ({
        label: `attempt ${n} arrives: ${reply}`,
        kind: 'step',
        state: waiting(world.facts).includes(n)
          ? { ...state, replies: [...state.replies, [n, reply]] }
          : state,
      });
      // TIMESTAMP_EXPIRED and NONCE_REPLAYED say no more than no reply does.
      if (hasSeen || !isFresh(world.facts, n, world.tick)) continue;
      yield arrives('refused with a code');
      if (world.doneAt !== undefined) {
        yield arrives('replay of its success');
        continue;
      }
      if (scope.hasCodes !== true) yield arrives('bare');
      if (isDecision && world.version !== EXPECTED) yield arrives('old version');
      else {
        const carriedOut = { doneAt: world.tick, effects: world.effects + 1, version: world.version + 1 };
        yield arrives('done', { ...met, ...carriedOut, shows: true });
      }
    }
  }

  function* network(world: World): Generator<Move<World>> {
    if (isLeft(world.luck, 'copy'))
      for (const n of new Set(world.wire))
        yield {
          label: `attempt ${n} is copied`,
          kind: 'fault',
          state: { ...world, wire: [...world.wire, n], luck: spent(world.luck, 'copy') },
        };
    const lied = (n: number, state: World): World =>
      after({ ...state, luck: spent(state.luck, 'lie') }, resultEvent(n, scope.results.bare));
    for (const [place, [n, reply]] of world.replies.entries()) {
      const rest = { ...world, replies: without(world.replies, place) };
      if (!waiting(world.facts).includes(n)) continue;
      yield {
        label: `the reply to attempt ${n} is recorded: ${reply}`,
        kind: 'step',
        state: after(rest, resultEvent(n, scope.results[reply])),
      };
      if (isLeft(world.luck, 'lie') && reply !== 'bare')
        yield { label: `a gateway hides the reply to attempt ${n}`, kind: 'fault', state: lied(n, rest) };
    }
    for (const n of waiting(world.facts)) {
      yield {
        label: `attempt ${n} has no reply`,
        kind: 'step',
        state: after(world, resultEvent(n, scope.results['no reply'])),
      };
      const isWhole = !world.seen.includes(n) && world.wire.filter((other) => other === n).length === 1;
      if (isWhole)
        yield {
          label: `attempt ${n} finds no connection`,
          kind: 'fault',
          state: after(
            { ...world, wire: without(world.wire, world.wire.indexOf(n)) },
            resultEvent(n, scope.results['no connection']),
          ),
        };
      if (isLeft(world.luck, 'lie') && world.wire.includes(n))
        yield {
          label: `a gateway refuses attempt ${n}, which is under way`,
          kind: 'fault',
          state: lied(n, world),
        };
    }
  }

  function* processes(world: World): Generator<Move<World>> {
    const status = rules.statusOf(world.facts);
    const { state, provisional, sent, sendableUntil, attempts, keyExpiresAt, versionProvesFrom } = status;
    const now = timeOf(world.tick);
    const mayLeave = mayBeSentAgain('by_caller', sent, sendableUntil - now);
    if ((state === 'ready' || state === 'sent') && mayLeave && attempts < scope.attempts) {
      const n = attempts + 1;
      const departed = after(world, attemptEvent(n, world.tick));
      yield {
        label: `attempt ${n} leaves`,
        kind: state === 'ready' ? 'step' : 'person',
        state: { ...departed, wire: [...world.wire, n] },
      };
    }
    if (state === 'ready')
      yield {
        label: 'its process has ended',
        kind: 'step',
        state: after(world, { type: 'unsent', at: now, reason: 'interrupted', why: 'it ended' }),
      };
    const isDue = versionProvesFrom !== undefined && now >= versionProvesFrom;
    if (isDue) {
      const read = { type: 'target_read', at: now, noun: 'sale', expected: EXPECTED } as const;
      const moved = world.version !== EXPECTED;
      yield {
        label: `the record has version ${world.version}`,
        kind: 'step',
        state: after(world, {
          ...read,
          version: world.version,
          ...(moved && world.shows && { showsEffect: true }),
        }),
      };
      if (isLeft(world.luck, 'lie'))
        yield {
          label: 'a gateway says that there is no such record',
          kind: 'fault',
          state: after({ ...world, luck: spent(world.luck, 'lie') }, read),
        };
    }
    if (state === 'sent' && !mayLeave)
      yield {
        label: 'it is given up',
        kind: 'step',
        state: after(world, { type: 'stuck', at: now, why: 'late' }),
      };
    if (state === 'refused' && provisional && now > keyExpiresAt && !status.expired)
      yield { label: 'it stays as it is', kind: 'step', state: after(world, { type: 'expired', at: now }) };
  }

  function broken(world: World): string[] {
    const { state, provisional } = rules.statusOf(world.facts);
    const wrong: string[] = [];
    if (world.effects > 1) wrong.push('carried out twice');
    if (state === 'done' && world.effects === 0) wrong.push('reported as done, and it was not');
    const isFinal = state === 'not_sent' || (state === 'refused' && !provisional);
    if (isFinal && world.effects > 0) wrong.push(`reported as ${state}, and it was carried out`);
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
      const awaited = waiting(facts);
      const wire = world.wire.filter((n) => isFresh(facts, n, world.tick)).toSorted();
      const seen = world.seen.filter((n) => wire.includes(n)).toSorted();
      const replies = world.replies.filter(([n]) => awaited.includes(n)).toSorted();
      return JSON.stringify([{ ...world, wire, seen, replies }, factsText(facts)]);
    },
  };
}
