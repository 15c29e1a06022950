import { describe, expect, it } from 'vitest';
import type { TransportRequest } from '../../src/core/transport.js';
import { acceptance, LOT, lookup, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { ScriptedTransport } from '../support/scripted-transport.js';

/** A journal that doesn't answer keeps nobody for ever, and from nobody what is known. */

const never = new Promise<never>(() => undefined);
const bid = { lot: LOT, amount: '465000', intentId: KEY };
const short = { maxAttempts: 1, deadline: 500 };

/** A bid in doubt, and a client that finds it accepted. */
async function inDoubt() {
  const scene = new Scene();
  await scene.during(scene.dealer([{ fail: 'maybe' }]).client.bidding.place(bid, short));
  return { scene, ...scene.dealer([lookup('accepted'), acceptance()]) };
}

/** How long something takes, in ms, and what came of it. */
async function taken<T>(scene: Scene, work: Promise<T>) {
  const from = scene.clock.monotonic();
  let endedAt = Number.NaN;
  const note = () => {
    endedAt = scene.clock.monotonic() - from;
  };
  work.then(note, note);
  const [settled] = await scene.during(Promise.allSettled([work]));
  return { settled, ms: endedAt };
}

describe('reconcile', () => {
  it('tells what the look-up said, though the lease can not be given back', async () => {
    const { scene, client } = await inDoubt();
    scene.journal.trouble({ method: 'release', until: never });
    const { settled, ms } = await taken(scene, client.bidding.reconcile(KEY, { deadline: 1_000 }));
    expect(settled).toMatchObject({ value: { status: 'accepted' } });
    expect(ms).toBe(5_000);
  });

  it.each(['find', 'claim'] as const)('ends a while after its deadline where %s hangs', async (method) => {
    const { scene, client } = await inDoubt();
    scene.journal.trouble({ method, until: never });
    const { settled, ms } = await taken(scene, client.bidding.reconcile(KEY, { deadline: 1_000 }));
    expect(settled).toMatchObject({ value: { status: 'unknown', idempotencyKey: KEY } });
    expect(ms).toBeLessThanOrEqual(11_000);
  });

  it('ends a while after its signal, whatever hangs', async () => {
    const { scene, client } = await inDoubt();
    scene.journal.trouble({ method: 'find', until: never });
    const abort = new AbortController();
    const reconciling = client.bidding.reconcile(KEY, { signal: abort.signal });
    await scene.clock.advance(1_000);
    abort.abort();
    const { settled, ms } = await taken(scene, reconciling);
    expect(settled).toMatchObject({ value: { status: 'unknown' } });
    expect(ms).toBeLessThanOrEqual(10_000);
  });
});

describe('place', () => {
  it('waits for a journal that hangs once, not at each thing that it has to write at the end', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([refusal(403, 'SCOPE_DENIED')]);
    scene.journal.trouble({ method: 'append', until: never });
    const { settled, ms } = await taken(scene, client.bidding.place(bid, short));
    expect(settled).toMatchObject({ value: { status: 'refused' } });
    expect(ms).toBe(5_000);
  });

  it.each([
    ['a refusal is told as unknown', refusal(403, 'SCOPE_DENIED'), 'unknown'],
    ['an acceptance is told all the same', acceptance(), 'accepted'],
  ])(
    'where the lease may be with somebody else, for it could not be renewed: %s',
    async (_, reply, status) => {
      const scene = new Scene();
      scene.journal.trouble({ method: 'claim', until: never });
      const transport = {
        send: async (request: TransportRequest) => {
          await new Promise<void>((resolve) => void scene.clock.after(12_000, resolve));
          return new ScriptedTransport(reply).send(request);
        },
        close: async () => undefined,
      };
      const { client } = scene.dealer([], { transport });
      const outcome = await scene.during(
        client.bidding.place(bid, { maxAttempts: 1, timeout: 15_000, deadline: 20_000 }),
      );
      expect(outcome).toMatchObject({
        status,
        attempts: 1,
        ...(status === 'accepted' && { bidId: 'bid_77' }),
      });
    },
  );

  it('under a key that others may have says unknown where the journal never said whether it took it in', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    scene.journal.trouble({ method: 'create', until: never });
    const outcome = await scene.during(client.bidding.place(bid, { deadline: 1_000 }));
    expect(outcome).toMatchObject({ status: 'unknown', idempotencyKey: KEY, attempts: 0 });
    expect(transport.sent).toEqual([]);
  });

  it('under a key of its own says not sent in that case', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()]);
    scene.journal.trouble({ method: 'create', until: never });
    const place = client.bidding.place({ lot: LOT, amount: '465000' }, { deadline: 1_000 });
    expect(await scene.during(place)).toMatchObject({ status: 'not_sent' });
  });

  it('of which the first write was never heard of: on record as never sent, and free to be placed again', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'create', unheard: true });
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await rejection(scene.during(client.bidding.place(bid)))).toMatchObject({ name: 'JournalError' });
    expect(await scene.journal.only()).toMatchObject({
      state: 'not_sent',
      entries: [{ type: 'attempt' }, { type: 'end', effect: 'not_sent' }],
    });
    expect(await scene.during(client.bidding.place(bid))).toMatchObject({ status: 'accepted', attempts: 2 });
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
  });
});

describe('what else asks a journal', () => {
  it.each(['intents.list', 'intents.explain', 'bidding.abandon', 'recover'])(
    '%s gives up after a minute where it hangs',
    async (name) => {
      const { scene, client } = await inDoubt();
      const methods = ['list', 'find', 'claim', 'claimOpen'] as const;
      for (const method of methods) scene.journal.trouble({ method, until: never });
      const uses: Record<string, () => Promise<unknown>> = {
        'intents.list': () => client.intents.list(),
        'intents.explain': () => client.intents.explain(KEY),
        'bidding.abandon': () => client.bidding.abandon(KEY, 'It is not wanted.'),
        recover: () => client.recover(),
      };
      const use = uses[name];
      if (use === undefined) throw new Error(name);
      const { settled, ms } = await taken(scene, use());
      expect(settled).toMatchObject({ reason: { name: 'JournalError', fault: 'unavailable' } });
      expect(ms).toBe(60_000);
    },
  );
});
