import { describe, expect, it } from 'vitest';
import type { TransportRequest } from '../../src/core/transport.js';
import { LeaseLostError } from '../../src/errors/journal.js';
import { namespaceOf } from '../../src/intents/intent.js';
import type { Journal } from '../../src/intents/journal.js';
import { journalOn } from '../intents/file/kit.js';
import { acceptance, LOT, lookup, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { ScriptedTransport, type Step } from '../support/scripted-transport.js';
import { VirtualDisk } from '../support/virtual-disk.js';

/** What one process says of a bid while another has it in hand, or may have. */

const never = new Promise<never>(() => undefined);
const bid = { lot: LOT, amount: '465000', intentId: KEY };
const acknowledgment = { status: 'read', external_reference: 'x' } as const;

/** The journal as one process sees it, which can be cut off from what it asks for. */
class CutOff {
  readonly journal: Journal;
  #cut: readonly string[] = [];

  constructor(inner: Journal) {
    this.journal = new Proxy(inner, {
      get: (target, name) => {
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== 'function') return found;
        return this.#cut.includes(String(name)) ? () => never : found.bind(target);
      },
    });
  }

  cut(...methods: readonly (keyof Journal)[]): void {
    this.#cut = methods;
  }
}

/** A bid that the service has turned away, so that it may be placed again. */
async function refused(): Promise<Scene> {
  const scene = new Scene();
  const { client } = scene.dealer([refusal(403, 'SCOPE_DENIED')]);
  await scene.during(client.bidding.place(bid, { maxAttempts: 1 }));
  return scene;
}

/** Replies that come after a while. */
function slowly(scene: Scene, ms: number, replies: readonly Step[], onSend: () => void = () => undefined) {
  const inner = new ScriptedTransport(...replies);
  const send = async (request: TransportRequest) => {
    onSend();
    await new Promise<void>((resolve) => void scene.clock.after(ms, resolve));
    return inner.send(request);
  };
  return { send, close: async () => undefined };
}

describe('a process that is cut off from its journal until its lease has run out', () => {
  it('does not say that a bid was turned away which another process has placed meanwhile', async () => {
    const scene = await refused();
    const off = new CutOff(scene.journal);
    const { client } = scene.dealer([acceptance()], { journal: off.journal });
    off.cut('append');
    const placing = client.bidding.place(bid, { deadline: 40_000 });
    await scene.clock.advance(100);
    off.cut('append', 'claim', 'release', 'read');
    await scene.clock.advance(20_000);
    const other = scene.dealer([acceptance()]).client.bidding.place(bid, { deadline: 10_000 });
    expect((await scene.during(other)).status).toBe('accepted');
    expect((await scene.during(placing)).status).toBe('unknown');
  });

  it('nor of a command which another process has had carried out', async () => {
    const scene = new Scene();
    const options = { idempotencyKey: KEY, deadline: 40_000, maxAttempts: 1 };
    const first = scene.dealer([refusal(403, 'SCOPE_DENIED')]).client.notifications;
    await rejection(scene.during(first.acknowledge('n_1', acknowledgment, options)));
    const off = new CutOff(scene.journal);
    const { client } = scene.dealer([], { journal: off.journal });
    off.cut('append');
    const calling = rejection(client.notifications.acknowledge('n_1', acknowledgment, options));
    await scene.clock.advance(100);
    off.cut('append', 'claim', 'release', 'read');
    await scene.clock.advance(20_000);
    expect(await scene.during(calling)).toMatchObject({ outcome: 'unknown' });
  });

  it('counts the lease from the moment in which it asked for it', async () => {
    const scene = await refused();
    const off = new CutOff(scene.journal);
    const claim = off.journal.claim.bind(off.journal);
    const slow: Journal = Object.assign(Object.create(off.journal), {
      claim: async (...args: Parameters<Journal['claim']>) => {
        const claimed = await claim(...args);
        await new Promise<void>((resolve) => void scene.clock.after(10_000, resolve));
        return claimed;
      },
    });
    const cut = () => off.cut('append', 'claim', 'release', 'read');
    const transport = slowly(scene, 7_000, [refusal(403, 'SCOPE_DENIED')], cut);
    const { client } = scene.dealer([], { transport, journal: slow });
    const placing = client.bidding.place(bid, { deadline: 18_000, maxAttempts: 1, timeout: 18_000 });
    expect((await scene.during(placing)).status).toBe('unknown');
  });
});

describe('what another process has in hand', () => {
  async function inHand() {
    const scene = await refused();
    const { intent } = await scene.journal.only();
    const id = { namespace: namespaceOf(intent.account), key: KEY };
    await scene.journal.claim(id, { owner: 'another', ttlMs: 9_000 });
    return { scene, ...scene.dealer(Array<Step>(30).fill(lookup('processing'))) };
  }

  it('is not told as refused by reconcile, nor by explain', async () => {
    const { scene, client, transport } = await inHand();
    expect(await scene.during(client.bidding.reconcile(KEY, { deadline: 2_000 }))).toMatchObject({
      status: 'unknown',
      nextStep: expect.stringContaining('at work on it'),
    });
    expect(await scene.during(client.intents.explain(KEY))).toContain(
      '=> This bid may be sent at any moment.',
    );
    expect(transport.sent).toEqual([]);
  });

  it('is waited for within the deadline of reconcile, not beside it', async () => {
    const scene = new Scene();
    const left = scene.dealer([{ fail: 'maybe' }]).client.bidding;
    await scene.during(left.place(bid, { maxAttempts: 1, deadline: 500 }));
    const { intent } = await scene.journal.only();
    const id = { namespace: namespaceOf(intent.account), key: KEY };
    await scene.journal.claim(id, { owner: 'another', ttlMs: 9_000 });
    const { client } = scene.dealer(Array<Step>(30).fill(lookup('processing')));
    const from = scene.clock.monotonic();
    const outcome = await scene.during(client.bidding.reconcile(KEY, { deadline: 10_000 }));
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'processing' } });
    expect(scene.clock.monotonic() - from).toBeLessThanOrEqual(11_000);
  });
});

describe('what goes on behind a call that has ended', () => {
  it('takes no lease from the next call of the same client under its key', async () => {
    const scene = new Scene();
    let go: () => void = () => undefined;
    scene.journal.trouble({ method: 'claim', until: new Promise<void>((resolve) => (go = resolve)) });
    const transport = slowly(scene, 6_000, [refusal(403, 'SCOPE_DENIED'), acceptance()]);
    const { client } = scene.dealer([], { transport });
    await scene.during(client.bidding.place(bid, { maxAttempts: 1, timeout: 10_000, deadline: 20_000 }));
    const second = client.bidding.place(bid, { timeout: 10_000, deadline: 60_000 });
    await scene.clock.advance(1_000);
    go();
    expect((await scene.during(second)).status).toBe('accepted');
  });

  it('is waited for by close(), so that nothing opens the file again', async () => {
    const scene = new Scene();
    const disk = new VirtualDisk();
    let locks = 0;
    const file = journalOn(disk, {
      lock: async () => {
        locks += 1;
        return async () => {
          locks -= 1;
        };
      },
    });
    await file.open();
    let go: () => void = () => undefined;
    const stalled = new Promise<void>((resolve) => (go = resolve));
    disk.before = (operation) => (operation === 'sync' ? stalled : undefined);
    const { client } = scene.dealer([acceptance()], { journal: file });
    const place = client.bidding.place({ lot: LOT, amount: '465000' }, { deadline: 1_000 });
    expect((await scene.during(place)).status).toBe('not_sent');
    const closing = client.close();
    await scene.clock.advance(3_000);
    go();
    await scene.during(closing);
    await scene.clock.advance(30_000);
    expect(locks).toBe(0);
  });

  it('keeps no close() for ever', async () => {
    const scene = new Scene();
    const disk = new VirtualDisk();
    const file = journalOn(disk);
    await file.open();
    disk.before = (operation) => (operation === 'sync' ? never : undefined);
    const { client } = scene.dealer([], { journal: file });
    await scene.during(client.bidding.place({ lot: LOT, amount: '465000' }, { deadline: 1_000 }));
    expect(await rejection(scene.during(client.close()))).toMatchObject({ fault: 'unavailable' });
  });

  it('is not waited for a minute where a lost lease can not be read', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([refusal(403, 'SCOPE_DENIED')]);
    scene.journal.trouble({ method: 'append', error: new LeaseLostError(KEY) });
    scene.journal.trouble({ method: 'read', until: never });
    const from = scene.clock.monotonic();
    await scene.during(client.bidding.place(bid, { maxAttempts: 1, deadline: 5_000 }));
    expect(scene.clock.monotonic() - from).toBeLessThanOrEqual(11_000);
  });
});
