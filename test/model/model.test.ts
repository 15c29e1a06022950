import { describe, expect, it } from 'vitest';
import type { IntentStatus } from '../../src/intents/fold.js';
import { type BidScope, bidModel } from './bid.js';
import { type CommandScope, commandModel } from './command.js';
import { type Exploration, explore, type Limits } from './explore.js';
import { bidResults, commandResults, forms } from './replies.js';
import { RULES, type Rules, TICK_MS } from './world.js';

/** Small scopes; `npm run test:model` explores the others, and every status. */

const END = 6;
const missing = forms.message(404);
const bidReplies = await bidResults(missing);
const commandReplies = await commandResults('command', missing);
const decisionReplies = await commandResults('decision', missing);

function ofBid(scope: Partial<BidScope>, limits?: Limits): Exploration {
  const usual = { placeBy: 2, attempts: 1, end: END, luck: {}, results: bidReplies };
  return explore(bidModel({ ...usual, ...scope }), limits);
}

function ofCommand(scope: Partial<CommandScope>, limits?: Limits): Exploration {
  const usual = { kind: 'command', attempts: 2, end: END, luck: {}, results: commandReplies } as const;
  return explore(commandModel({ ...usual, ...scope }), limits);
}

const untilBroken = { untilBroken: true };
const decision = { kind: 'decision', results: decisionReplies } as const;

/** Rules with a mistake in what a status says. */
function misread(change: (status: IntentStatus) => Partial<IntentStatus>): Rules {
  return {
    ...RULES,
    statusOf: (facts) => {
      const status = RULES.statusOf(facts);
      return { ...status, ...change(status) };
    },
  };
}

describe('every state of a small world', () => {
  it.each<[what: string, explored: () => Exploration]>([
    ['a bid, a lie of a gateway, and a close', () => ofBid({ luck: { lie: 1, close: 1 } })],
    [
      'a bid of a batch, which has no close of its own',
      () => ofBid({ placeBy: undefined, luck: { copy: 1 } }),
    ],
    ['a bid that must be confirmed', () => ofBid({ confirm: true, luck: { lie: 1 } })],
    ['a command without a version', () => ofCommand({ luck: { copy: 1 } })],
    ['the same and a lie of a gateway', () => ofCommand({ hasCodes: true, luck: { lie: 1 } })],
    [
      'a decision, a lie, and another program',
      () => ofCommand({ ...decision, attempts: 1, luck: { lie: 1, rival: 2 } }),
    ],
  ])('%s: nothing is doubled or misreported, and all of it can be settled', (_, explored) => {
    const { broken, isComplete, states } = explored();
    expect(broken).toEqual([]);
    expect(isComplete).toBe(true);
    expect(states).toBeGreaterThan(1_000);
  });
});

describe('a mistake that the model must find', () => {
  it.each<[what: string, explored: () => Exploration, promise: string]>([
    [
      'something leaves after a close',
      () => ofBid({ luck: { close: 1 }, mistake: 'sends after a close' }, untilBroken),
      'left after a close that was known',
    ],
    [
      'something leaves after its placeBy',
      () => ofBid({ mistake: 'sends after placeBy' }, untilBroken),
      'left after its placeBy',
    ],
    [
      'what is provisional is told as final',
      () => ofBid({ luck: { lie: 1 }, rules: misread(() => ({ provisional: false })) }, untilBroken),
      'reported as refused, and it was accepted',
    ],
    [
      'an absence settles at any time',
      () => ofBid({ rules: { ...RULES, afterEvent: absentAtAnyTime } }, untilBroken),
      'reported as refused, and it was accepted',
    ],
    [
      'one refusal of a command without a code is believed',
      () =>
        ofCommand({
          luck: { lie: 1 },
          rules: misread(({ state, turnedAway }) =>
            state === 'sent' && turnedAway ? { state: 'refused' } : {},
          ),
        }),
      'reported as refused, and it was carried out',
    ],
  ])('%s', (_, explored, promise) => {
    const { broken } = explored();
    expect(broken.map((one) => one.promise)).toContain(promise);
  });
});

/** A lookup counts as if it had been made when no copy can arrive any longer. */
function absentAtAnyTime(
  ...[facts, event]: Parameters<Rules['afterEvent']>
): ReturnType<Rules['afterEvent']> {
  if (event.type !== 'lookup' || event.found !== 'absent') return RULES.afterEvent(facts, event);
  const late = facts.attempts.reduce((latest, { timestamp }) => Math.max(latest, timestamp * 1_000), 0);
  const observedAt = late + TICK_MS + 1 + (facts.absentSince === undefined ? 0 : 60_000);
  return RULES.afterEvent(facts, { ...event, observedAt });
}

describe('an exception that docs/recovery.md states', () => {
  it.each<[what: string, explored: () => Exploration]>([
    [
      'a gateway hides the success of a command twice',
      () => ofCommand({ hasCodes: true, luck: { lie: 2 } }, untilBroken),
    ],
    [
      'the service refuses without a code, and a gateway hides the success of the resend',
      () => ofCommand({ luck: { lie: 1 } }, untilBroken),
    ],
  ])('%s: it is reported as refused', (_, explored) => {
    const { broken } = explored();
    expect(broken.map((one) => one.promise)).toEqual(['reported as refused, and it was carried out']);
  });
});

describe('replies that say no more than none', () => {
  it.each(['NONCE_REPLAYED', 'TIMESTAMP_EXPIRED'] as const)('%s', (code) => {
    for (const results of [bidReplies, commandReplies, decisionReplies])
      expect(results[code]).toMatchObject({ effect: results['no reply'].effect, retry: true });
  });
});
