import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { memoryStore } from '../../../src/store/memory.js';
import { bid, lotOf } from '../../sandbox/caller.js';
import { SpyStore } from '../../support/spy-store.js';
import { Program } from './duty.js';
import { onlyKey, type Scenario } from './follow.js';
import { cut, inDoubt, leftReady, MINUTE, mute, place } from './place.js';

const replyOf = (json: unknown): Record<string, unknown> => Object(Object(json).data);

/** Every state of a bid that is unresolved. */
export const bids: Readonly<Record<string, Scenario>> = {
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
      const { id, startingPrice } = lotOf(duty.sandbox, 'live-open');
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
      await place(duty, { idempotencyKey, deadline: 20_000 });
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
    reply: ({ call }, json) => {
      if (call === 'bids.lookup') Object.assign(replyOf(json), { state: 'accepted', receipt: null });
      return json;
    },
    build: async (duty) => {
      await place(duty, { amount: '500' });
      expect((await duty.types('dealer', 'intents', 'reconcile', await onlyKey(duty))).code).toBe(3);
    },
    lies: true,
    ends: ['accepted'],
  },
  'recorded by a process that died before it sent it': {
    build: async (duty) => {
      const program = await leftReady(duty);
      await program.end();
    },
    ends: ['not_sent'],
  },
  'recorded by a process that hangs': {
    build: async (duty) => {
      const program = await leftReady(duty);
      expect((await duty.types('dealer', 'recover')).code).toBe(3);
      const { json } = await duty.types('dealer', 'intents', 'explain', await onlyKey(duty));
      expect(json).toEqual([
        expect.objectContaining({ heldBy: expect.stringContaining(`pid ${program.pid} on `) }),
      ]);
      await program.end();
    },
    ends: ['not_sent'],
  },
  'in doubt, and recorded by another client': {
    who: 'platform',
    as: 'dealer',
    build: (duty) => inDoubt(duty, 'drop_after_commit'),
    ends: ['accepted'],
  },
  'in doubt in a restored backup': {
    build: async (duty) => {
      await inDoubt(duty, 'drop_before_commit');
      const backup = join(duty.folder, 'backup.db');
      expect((await duty.types('dealer', 'store', 'backup', backup)).code).toBe(0);
      await place(duty, { idempotencyKey: await onlyKey(duty) });
      await duty.closeStores();
      const withdraw = mute(duty);
      expect((await duty.types('dealer', 'store', 'restore', backup, '--yes')).code).toBe(3);
      withdraw();
    },
    ends: ['accepted'],
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
