import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { PlaceOptions } from '../../src/bids/types.js';
import type { Who } from '../../src/cli/sandbox/flags.js';
import type { ReplyContext } from '../../src/sandbox/index.js';
import { memoryStore } from '../../src/store/memory.js';
import { bid } from '../sandbox/caller.js';
import { SpyStore } from '../support/spy-store.js';
import { Duty, Program } from './duty.js';

/**
 * Every stuck or doubtful state of docs/runbook.md, built with a real store and client against the sandbox, and brought to an
 * end by the commands that `intents explain` names.
 */

const MINUTE = 60_000;

/** One attempt, and no time to look it up. */
const BRIEF = { maxAttempts: 1, deadline: 900 } as const;

type Placing = PlaceOptions & {
  readonly amount?: string;
  readonly lot?: number;
  readonly keepHeld?: boolean;
};

const lotOf = (duty: Duty, n = 0) => {
  const lot = duty.sandbox.auctions.get('live-open').lots[n];
  if (lot === undefined) throw new Error(`no lot ${n}`);
  return lot;
};

/** A program places a bid as a direct dealer, and ends. */
async function place(duty: Duty, { amount, lot = 0, ...options }: Placing = {}, client = duty.dealer()) {
  const { id, startingPrice } = lotOf(duty, lot);
  const placing = client.bids.place({ lot: id, amount: amount ?? startingPrice }, { ...BRIEF, ...options });
  const outcome = await duty.during(placing.catch((error: unknown) => error));
  await duty.look();
  await duty.during(client.close());
  return outcome;
}

/** A fault of every request to bid, until it is withdrawn. */
const cut = (duty: Duty, fault: 'drop_before_commit' | 'drop_after_commit', operation = 'bids.submit') =>
  duty.sandbox.inject({ fault, operation, times: Infinity });

const mute = (duty: Duty, operation = 'bids.lookup') =>
  duty.sandbox.inject({ fault: 'error_before_commit', operation, status: 503, times: Infinity });

/** A bid in doubt that the service has, or has not. */
async function inDoubt(duty: Duty, fault: 'drop_before_commit' | 'drop_after_commit', how: Placing = {}) {
  const withdraw = cut(duty, fault);
  await place(duty, how);
  withdraw();
}

/** Follows `intents list`, `intents explain` and the commands that it names until nothing is unresolved. */
async function follow(duty: Duty, who: Who): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    const { code, json } = await duty.types(who, 'intents', 'list');
    expect(code).toBe(0);
    const [first] = json;
    if (first === undefined) return;
    const key = String(first['idempotencyKey']);
    const explained = await duty.types(who, 'intents', 'explain', key);
    if (process.env['SHOW']) console.log(JSON.stringify(explained.json[0], null, 1));
    expect(explained.code).toBe(0);
    const [{ commands, recoverFrom } = {}] = explained.json;
    if (typeof recoverFrom === 'number')
      duty.sandbox.clock.advance(Math.max(0, recoverFrom + 1 - duty.sandbox.clock.now()));
    expect(commands, key).toEqual(expect.arrayContaining([expect.any(String)]));
    for (const command of commands as readonly string[]) {
      const words = command.replace(' --reason "…"', '').split(' ');
      const reason = command.endsWith('--reason "…"') ? ['--reason', 'The bank was asked'] : [];
      const typed = await duty.types(
        who,
        ...words,
        ...reason,
        ...(/^(recover|intents abandon)/.test(command) ? ['--yes'] : []),
      );
      const isUnknown = typed.json.some(({ status }) => status === 'unknown');
      const isRefused = typed.json.some(({ status }) =>
        ['refused', 'rejected', 'not_sent'].includes(String(status)),
      );
      expect([command, typed.code, typed.err]).toEqual([
        command,
        isUnknown ? 3 : isRefused ? 1 : 0,
        expect.any(String),
      ]);
    }
  }
  throw new Error(`It does not end:\n${duty.typed.map((one) => one.join(' → ')).join('\n')}`);
}

/** What is on record says what the service has. */
async function agree(duty: Duty, who: Who, lies = false): Promise<readonly string[]> {
  const { json } = await duty.types(who, 'intents', 'list', '--all');
  for (const { idempotencyKey, state } of json) {
    const effects = duty.sandbox.ledger().filter((entry) => entry.idempotencyKey === idempotencyKey).length;
    const isDone = state === 'accepted' || state === 'done';
    if (state === 'abandoned') expect(effects).toBeLessThan(2);
    else if (!lies) expect([idempotencyKey, state, effects]).toEqual([idempotencyKey, state, isDone ? 1 : 0]);
  }
  return json.map(({ state }) => String(state));
}

interface Scenario {
  readonly who?: Who;
  /** Changes replies of the service. */
  readonly reply?: (call: ReplyContext, json: unknown, memory: Map<string, unknown>) => unknown;
  readonly build: (duty: Duty) => Promise<unknown>;
  /** The service contradicts itself, so its ledger proves nothing. */
  readonly lies?: true;
  /** The states of all intents in the end, in the order of inserts. */
  readonly ends: readonly string[];
}

/** The key of the one intent on record. */
async function onlyKey(duty: Duty): Promise<string> {
  const { json } = await duty.types('dealer', 'intents', 'list', '--all');
  expect(json).toHaveLength(1);
  return String(json[0]?.['idempotencyKey']);
}

const replyOf = (json: unknown): Record<string, unknown> => Object(Object(json).data);

const bids: Readonly<Record<string, Scenario>> = {
  'in doubt, and the service does not have it': {
    build: (duty) => inDoubt(duty, 'drop_before_commit'),
    ends: ['refused'],
  },
  'in doubt, and the service has it': {
    build: (duty) => inDoubt(duty, 'drop_after_commit'),
    ends: ['accepted'],
  },
  'in doubt, and the service has rejected it': {
    build: (duty) => inDoubt(duty, 'drop_after_commit', { amount: '500' }),
    ends: ['rejected'],
  },
  'in doubt, and the service still works on it': {
    build: async (duty) => {
      duty.sandbox.inject({ fault: 'processing', operation: 'bids.submit', ms: 90_000 });
      await place(duty);
    },
    ends: ['accepted'],
  },
  'in doubt, and its process died with the attempt on the wire': {
    build: async (duty) => {
      const program = new Program();
      const store = new SpyStore([], duty.store(program.process));
      const client = duty.dealer({ store });
      await duty.during(client.integration.profile());
      store.troubles.push(undefined, undefined, ...Array<'fails'>(9).fill('fails'));
      await place(duty, {}, client);
      await program.end();
    },
    ends: ['accepted'],
  },
  'in doubt past key retention, and the service has forgotten it': {
    build: async (duty) => {
      duty.sandbox.inject({ fault: 'forget', operation: 'bids.submit', drop: true });
      await place(duty);
      duty.sandbox.clock.advance(61 * MINUTE);
    },
    ends: ['abandoned'],
  },
  'in doubt past key retention, and the service still knows it': {
    build: async (duty) => {
      await inDoubt(duty, 'drop_after_commit');
      duty.sandbox.clock.advance(61 * MINUTE);
    },
    ends: ['accepted'],
  },
  'rejected after an attempt in doubt': {
    build: async (duty) => {
      const withdraw = mute(duty);
      duty.sandbox.inject({ fault: 'drop_before_commit', operation: 'bids.submit' });
      await place(duty, { amount: '500', maxAttempts: 2, deadline: 20_000 });
      withdraw();
    },
    ends: ['rejected'],
  },
  'accepted, and to be confirmed': {
    build: async (duty) => {
      const withdraw = mute(duty);
      await place(duty, { confirm: true });
      withdraw();
    },
    ends: ['accepted'],
  },
  'turned away without a code, and not looked up': {
    build: async (duty) => {
      const withdraw = mute(duty);
      duty.sandbox.inject({ fault: 'refuse', operation: 'bids.submit', status: 403, times: Infinity });
      await place(duty);
      withdraw();
    },
    ends: ['refused'],
  },
  'refused provisionally': {
    build: async (duty) => {
      duty.sandbox.inject({ fault: 'refuse', operation: 'bids.submit', status: 403 });
      await place(duty, { deadline: 20_000 });
    },
    ends: ['refused'],
  },
  'refused provisionally, and past key retention': {
    build: async (duty) => {
      duty.sandbox.inject({ fault: 'refuse', operation: 'bids.submit', status: 403 });
      await place(duty, { deadline: 20_000 });
      duty.sandbox.clock.advance(61 * MINUTE);
    },
    ends: ['refused'],
  },
  'the key has other content at the service': {
    build: async (duty) => {
      const idempotencyKey = randomUUID();
      const { id, startingPrice } = lotOf(duty);
      const { dealer } = duty.sandbox.credentials;
      await bid(duty.sandbox, dealer, id, { amount: startingPrice, idempotency_key: idempotencyKey });
      await place(duty, { idempotencyKey, amount: '900000' });
    },
    ends: ['abandoned'],
  },
  'sent by another program under the same key, and not read yet': {
    build: async (duty) => {
      const idempotencyKey = randomUUID();
      const withdraw = [mute(duty), mute(duty, 'bids.get')];
      await place(duty, { idempotencyKey }, duty.dealer({ store: memoryStore() }));
      await place(duty, { idempotencyKey });
      for (const undo of withdraw) undo();
    },
    ends: ['accepted'],
  },
  'the service shows another bid under its key': {
    reply: ({ call }, json) => {
      if (call === 'bids.get') replyOf(json)['amount'] = '999999.00';
      return json;
    },
    build: async (duty) => {
      const idempotencyKey = randomUUID();
      await place(duty, { idempotencyKey }, duty.dealer({ store: memoryStore() }));
      await place(duty, { idempotencyKey, deadline: 20_000 });
    },
    ends: ['abandoned'],
  },
  'accepted under the ids of another bid': {
    reply: ({ call }, json, memory) => {
      if (call !== 'bids.submit') return json;
      const data = replyOf(json);
      if (memory.has('bid_id')) data['bid_id'] = memory.get('bid_id');
      else memory.set('bid_id', data['bid_id']);
      return json;
    },
    build: async (duty) => {
      const withdraw = mute(duty);
      await place(duty);
      await place(duty, { lot: 1 });
      withdraw();
    },
    ends: ['accepted', 'accepted'],
  },
  'reported as accepted, and looked up as rejected': {
    reply: ({ call }, json) => {
      if (call === 'bids.lookup') {
        replyOf(json)['state'] = 'rejected';
        replyOf(json)['receipt'] = null;
      }
      return json;
    },
    build: async (duty) => {
      await place(duty);
      expect((await duty.types('dealer', 'intents', 'reconcile', await onlyKey(duty))).code).toBe(3);
    },
    lies: true,
    ends: ['rejected'],
  },
  'reported as rejected, and looked up as accepted': {
    build: async (duty) => {
      const code = 'BID_BELOW_MINIMUM';
      duty.sandbox.inject({ fault: 'refuse', operation: 'bids.submit', code, commit: true });
      await place(duty);
      expect((await duty.types('dealer', 'intents', 'reconcile', await onlyKey(duty))).code).toBe(3);
    },
    ends: ['accepted'],
  },
  'recorded by a process that died before it sent it': {
    build: async (duty) => {
      const program = await leftReady(duty);
      await program.end();
    },
    ends: ['not_sent'],
  },
  'recorded under another label': {
    build: async (duty) => {
      const withdraw = cut(duty, 'drop_after_commit');
      await place(duty, {}, duty.dealer({ account: 'bank-2' }));
      withdraw();
    },
    ends: [],
  },
};

/** A bid that a program has recorded and not sent, and that it holds as long as it runs. */
async function leftReady(duty: Duty): Promise<Program> {
  const program = new Program();
  const store = new SpyStore([], duty.store(program.process));
  const client = duty.dealer({ store });
  await duty.during(client.integration.profile());
  store.troubles.push('commits unheard', ...Array<'fails'>(9).fill('fails'));
  await place(duty, {}, client);
  return program;
}

const seen = new Set<string>();

describe('a bid that is', () => {
  it.each(Object.entries(bids))(
    '%s comes to an end',
    async (_, { who = 'dealer', reply, build, lies, ends }) => {
      const memory = new Map<string, unknown>();
      await using duty = await Duty.begin(reply && { reply: (call, json) => reply(call, json, memory) });
      await build(duty);
      expect((await duty.types(who, 'intents', 'list')).json).not.toEqual([]);
      await follow(duty, who);
      expect(await agree(duty, who, lies)).toEqual(ends);
      for (const what of duty.seen) seen.add(what);
      if (process.env['SHOW']) console.log(duty.typed);
    },
  );
});

afterAll(() => {
  if (process.env['SHOW']) console.log([...seen].sort());
});
