import type { IntentContent, IntentEvent, ResultEvent } from '../../src/intents/content.js';
import { type Facts, SIGNATURE_WINDOW_MS } from '../../src/intents/facts.js';
import { afterEvent, noFacts, statusOf } from '../../src/intents/fold.js';
import { bid, command, decision } from '../intents/logs.js';
import { NOW } from '../support/bid-replies.js';

/**
 * What the models of bids and commands share. Their rules are those of the package itself: `afterEvent` and `statusOf` of
 * `intents/fold.ts` say what a record means, `mayBeSentAgain` what may leave, and the results of attempts are what clients
 * have recorded of real replies. The service, the network, time and what processes do are the model's.
 *
 * A tick is as long as a signature is valid: a copy arrives in the tick in which it was signed or in the next one.
 */

export const TICK_MS = SIGNATURE_WINDOW_MS;

/** Ticks for which the service remembers a key. */
export const REMEMBERED = 4;

/** The rules that are tried: those of the package, or others that must be found wrong. */
export interface Rules {
  readonly afterEvent: typeof afterEvent;
  readonly statusOf: typeof statusOf;
}

export const RULES: Rules = { afterEvent, statusOf };

/** Unix ms. */
export function timeOf(tick: number): number {
  return NOW + tick * TICK_MS;
}

function secondsOf(tick: number): number {
  return Math.floor(timeOf(tick) / 1_000);
}

export function factsOf(kind: 'bid' | 'command' | 'versioned' | 'decision'): Facts {
  const contents: Readonly<Record<typeof kind, IntentContent>> = {
    bid: bid(),
    command: command(false),
    versioned: command(true),
    decision: decision(),
  };
  return noFacts(contents[kind], REMEMBERED * TICK_MS);
}

export function attemptEvent(n: number, tick: number): IntentEvent {
  return {
    type: 'attempt',
    n,
    at: timeOf(tick),
    timestamp: secondsOf(tick),
    nonce: `nonce-${n}`,
    keyId: 'key',
  };
}

export type Result = Omit<ResultEvent, 'type' | 'n' | 'at'>;

/** An attempt's result. When it was recorded changes nothing. */
export function resultEvent(n: number, result: Result): IntentEvent {
  return { type: 'result', n, at: NOW, ...result };
}

/** What may still go wrong, and how often. */
export type Luck = Readonly<Record<string, number>>;

export function spent(luck: Luck, what: string): Luck {
  return { ...luck, [what]: (luck[what] ?? 0) - 1 };
}

export function isLeft(luck: Luck, what: string): boolean {
  return (luck[what] ?? 0) > 0;
}

/** The same list without the item at a place. */
export function without<T>(items: readonly T[], place: number): readonly T[] {
  return items.filter((_, index) => index !== place);
}

/** Attempts whose result is not recorded: their call may still receive a reply. */
export function waiting({ attempts }: Facts): readonly number[] {
  return attempts.flatMap(({ n, result }) => (result === undefined ? [n] : []));
}

/** Facts by what later events and the status depend on. */
export function factsText(facts: Facts): unknown {
  const { lastLookup: _, last, unsent, attempts, lookup, targetRead, stuck, ...others } = facts;
  return [
    others,
    attempts.map(({ n, timestamp, state, result }) => [
      n,
      timestamp,
      state,
      result && [result.status, result.foreign, result.namesVersion],
    ]),
    [last?.effect, last?.retry, lookup?.found, unsent !== undefined, stuck !== undefined],
    targetRead && [targetRead.at, targetRead.version, targetRead.showsEffect, targetRead.outrunBy],
  ];
}

/** Whether a copy of an attempt can still be let in. */
export function isFresh({ attempts }: Facts, n: number, tick: number): boolean {
  const { timestamp = 0 } = attempts.find((attempt) => attempt.n === n) ?? {};
  return secondsOf(tick) <= timestamp + TICK_MS / 1_000;
}
