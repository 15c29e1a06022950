import { describe, expect, it } from 'vitest';
import type { BankClient } from '../../src/client/bank-client.js';
import type { OverridableOptions } from '../../src/client/options.js';
import type { PartnerClient } from '../../src/client/partner-client.js';
import type { Transport, TransportReply, TransportRequest } from '../../src/core/transport/transport.js';
import { bank, dealer, KEY, loggerOf, rejection } from '../support/clients.js';
import { once } from '../support/scripted-transport.js';
import { SpyStore } from '../support/spy-store.js';
import { ToldTime } from '../support/told-time.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';

type Dealer = PartnerClient<'direct_dealer'>;

interface Sent {
  readonly path: string;
  readonly at: number;
  /** How long it was awaited, ms. */
  awaited?: number;
}

/** A service that never answers, fails, or answers more than a client may want. */
class Service implements Transport {
  readonly sent: Sent[] = [];
  refusedBodies = 0;
  readonly #clock: VirtualClock;
  readonly #mode: 'hangs' | 'fails' | 'answers much';

  constructor(clock: VirtualClock, mode: 'hangs' | 'fails' | 'answers much') {
    this.#clock = clock;
    this.#mode = mode;
  }

  send({ path, signal }: TransportRequest): Promise<TransportReply> {
    const sent: Sent = { path, at: this.#clock.monotonic() };
    this.sent.push(sent);
    return new Promise((resolve) => {
      if (this.#mode === 'hangs') {
        signal.addEventListener('abort', () => {
          sent.awaited ??= this.#clock.monotonic() - sent.at;
        });
        return;
      }
      const status = this.#mode === 'fails' ? 500 : 200;
      const discard = () => {
        this.refusedBodies += 1;
      };
      resolve({ status, headers: {}, body: once(JSON.stringify({ data: 'x'.repeat(1_000) })), discard });
    });
  }

  async close(): Promise<void> {}
}

const PHOTO = 'https://bank.example/api/v1/events/auc_1/lots/lot_1/media/7';

/** Everything that a partner can do through a client, each as it begins with one request. */
const partnerHelpers: Readonly<Record<string, (client: Dealer) => unknown>> = {
  'events.get': (client) => client.events.get('auc_1'),
  'events.list': (client) => client.events.list().firstPage(),
  request: (client) => client.request({ method: 'GET', path: '/lots' }),
  'saleCases.acknowledge': (client) =>
    client.saleCases.acknowledge('sal_1', { terms_version: 'T4', expected_version: 3 }),
  'bids.submit': (client) => client.bids.submit('lot_1', { amount: '1' }),
  'bids.place': (client) => client.bids.place({ lot: 'lot_1', amount: '1' }),
  'bids.placeAll': (client) =>
    client.bids.placeAll([{ rowId: 'r1', lot: 'lot_1', amount: '1' }], { batchId: 'b1' }).summary,
  'bids.quote': (client) => client.bids.quote({ lot: 'lot_1', event: 'auc_1' }),
  'bids.standings': (client) => client.bids.standings(['lot_1']),
  'lots.watch': async (client) => {
    for await (const _ of client.lots.watch(['lot_1']));
  },
  'winnerUpdates.follow': (client) => client.winnerUpdates.follow({ name: 'books', handle: () => undefined }),
  'notifications.follow': (client) => client.notifications.follow({ name: 'inbox', handle: () => undefined }),
  waitFor: (client) =>
    client.waitFor(
      (limits) => client.events.get('auc_1', limits),
      () => true,
    ),
  'saleCases.waitUntilApproved': (client) => client.saleCases.waitUntilApproved('sal_1'),
  'paymentReports.waitUntilVerified': (client) => client.paymentReports.waitUntilVerified('rep_1'),
  'refunds.waitUntilCompleted': (client) => client.refunds.waitUntilCompleted('ref_1'),
  'documents.waitUntilReady': (client) => client.documents.waitUntilReady('doc_1'),
  'media.download': (client) => client.media.download(PHOTO),
  'intents.reconcile': (client) => client.intents.reconcile(KEY),
  runOnce: (client) =>
    client.runOnce(['ack'], (idempotencyKey) =>
      client.saleCases.acknowledge('sal_1', { terms_version: 'T4', expected_version: 3 }, { idempotencyKey }),
    ),
  retryOnConflict: (client) =>
    client.retryOnConflict(
      () => client.saleCases.get('sal_1'),
      async () => undefined,
    ),
};

const bankHelpers: Readonly<Record<string, (client: BankClient) => unknown>> = {
  'approvals.decide': (client) =>
    client.approvals.decide('sal_1', () => ({ action: 'wait', reason: 'Later.' })),
  'approvals.run': (client) => client.approvals.run(() => ({ action: 'wait', reason: 'Later.' })).summary,
};

function started(mode: 'hangs' | 'fails' | 'answers much', overrides: OverridableOptions, name: string) {
  const clock = new VirtualClock();
  const service = new Service(clock, mode);
  const others: string[] = [];
  const options = {
    clock,
    transport: new ToldTime(service, clock),
    logger: loggerOf((line) => others.push(line)),
    logLevel: 'debug',
  } as const;
  const [ofPartner, ofBank] = [partnerHelpers[name], bankHelpers[name]];
  const begun =
    ofPartner === undefined
      ? ofBank?.(bank([], options).client.withOptions(overrides))
      : ofPartner(dealer([], options).client.withOptions(overrides));
  Promise.resolve(begun).catch(() => undefined);
  return { clock, service, others };
}

const helpers = [...Object.keys(partnerHelpers), ...Object.keys(bankHelpers)];

describe.each(helpers)('Options of a derived client reach %s', (name) => {
  it('timeout', async () => {
    const { clock, service } = started('hangs', { timeout: 50 }, name);
    await clock.advance(1_000);
    expect(service.sent[0]?.awaited).toBe(50);
  });

  // A row of a batch has two more minutes, for the quota.
  it.skipIf(name === 'bids.placeAll')('deadline', async () => {
    const { clock, service } = started('hangs', { deadline: 40 }, name);
    await clock.advance(1_000);
    expect(service.sent[0]?.awaited).toBe(40);
  });

  it('maxAttempts', async () => {
    const { service } = started('fails', { maxAttempts: 1 }, name);
    await settle();
    expect(service.sent.filter(({ path }) => path === service.sent[0]?.path)).toHaveLength(1);
  });

  it.skipIf(name === 'media.download')('maxReplyBytes', async () => {
    const { service } = started('answers much', { maxReplyBytes: 100, maxAttempts: 1 }, name);
    await settle();
    expect(service.refusedBodies).toBeGreaterThan(0);
  });

  it('logger and logLevel', async () => {
    const lines: string[] = [];
    const logger = loggerOf((line) => lines.push(line));
    const { clock, others } = started('fails', { logger, logLevel: 'debug' }, name);
    await clock.advance(20_000);
    expect(lines).toContain('Request');
    expect(others).toEqual([]);
  });
});

describe('The logger of a derived client gets', () => {
  function derived(steps: Parameters<typeof dealer>[0], options: Parameters<typeof dealer>[1] = {}) {
    const [lines, others]: string[][] = [[], []];
    const made = dealer(steps, {
      logger: loggerOf((line) => others?.push(line)),
      logLevel: 'warn',
      ...options,
    });
    const client = made.client.withOptions({ logger: loggerOf((line) => lines?.push(line)) });
    return { ...made, client, base: made.client, lines, others };
  }

  it("the failures of a batch's callbacks", async () => {
    const { client, clock, lines, others } = derived([]);
    const onProgress = () => {
      throw new Error('no');
    };
    const row = { rowId: 'r1', lot: 'lot_1', amount: '1' };
    const { summary } = client.bids.placeAll([row], { batchId: 'b1', onProgress });
    await clock.advance(600_000);
    await summary;
    expect(lines).toContainEqual(expect.stringContaining('onProgress'));
    expect(others).toEqual([]);
  });

  it('the commands that recovery sends again', async () => {
    const store = new SpyStore();
    const { client, base, lines, others } = derived([{ fail: 'maybe' }, { fail: 'no' }, { fail: 'no' }], {
      store,
    });
    const acknowledged = { terms_version: 'T4', expected_version: 3 };
    await rejection(base.saleCases.acknowledge('sal_1', acknowledged, { maxAttempts: 1 }));
    others?.splice(0);
    await client.recover({ resend: true });
    expect(lines).toContainEqual(expect.stringContaining('trying again'));
    expect(others).toEqual([]);
  });

  it('the warning that its calls are queued for the quota, and the other client gets its own', async () => {
    const { client, base, lines, others } = derived([], { quota: { limit: 1, reserve: 0, scope: 'client' } });
    await rejection(client.events.get('auc_1', { maxAttempts: 1 }));
    lines?.splice(0);
    const controller = new AbortController();
    const calls = [rejection(client.events.get('auc_1', { signal: controller.signal }))];
    await settle();
    expect(lines).toEqual(['The request quota is used up or paused; calls are queued']);
    expect(others).toEqual([]);
    calls.push(rejection(base.events.get('auc_1', { signal: controller.signal })));
    await settle();
    expect(others).toEqual(lines);
    controller.abort();
    await Promise.all(calls);
  });

  it('what followers and watches try again', async () => {
    const { client, lines, others, clock } = derived([]);
    const following = client.winnerUpdates.follow({ name: 'books', handle: () => undefined });
    const watching = (async () => {
      for await (const _ of client.lots.watch(['lot_1']));
    })();
    await clock.advance(5_000);
    expect(lines).toContainEqual(expect.stringContaining('A watch could not'));
    expect(lines).toContainEqual(expect.stringContaining('winnerUpdates.follow'));
    expect(others).toEqual([]);
    await client.close();
    await Promise.all([following, watching]);
  });
});
