import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { PartnerClientOptions } from '../../src/client/options.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { fileContent } from '../../src/core/request/body.js';
import { TransportFailure } from '../../src/core/transport/transport.js';
import { accepted, bank, credentials, dealer, rejection, SECRET } from '../support/clients.js';
import { ScriptedTransport, type Step } from '../support/scripted-transport.js';
import { ToldTime } from '../support/told-time.js';
import { settle } from '../support/virtual-clock.js';

const event: Step = {
  status: 200,
  json: { data: { id: 'auc_1', status: 'live', bid_increment: '5000.00', revision: 1 } },
};

class Hidden {
  readonly #amount = '1';
  get amount() {
    return this.#amount;
  }
}

class Fields {
  readonly amount = '465000';
}

describe('arguments that would silently be nothing', () => {
  const odd: readonly [name: string, value: object][] = [
    ['search parameters', new URLSearchParams({ bidder_reference: 'b' })],
    ['a map', new Map([['bidder_reference', 'b']])],
    ['a form', new FormData()],
    ['an instance that hides its fields', new Hidden()],
    ['a date', new Date(0)],
    ['bytes', Buffer.from('{}')],
  ];
  it.each(odd)('are refused: %s', async (_, value) => {
    const { client, transport } = dealer([]);
    const { client: other } = bank([]);
    const calls = [
      client.bids.list(value).firstPage(),
      client.bids.submit('lot_1', value as { amount: string }),
      client.events.get('auc_1', { extraQuery: value as Record<string, string> }),
      client.bids.requestCancellation(
        'b',
        { reason_code: 'x' },
        { extraBody: value as Record<string, string> },
      ),
      other.request({ method: 'POST', path: '/x', body: value as Record<string, string> }),
      other.request({ method: 'GET', path: '/x', query: value as Record<string, string> }),
    ];
    for (const call of calls) {
      const error = await rejection(call);
      expect(error).toMatchObject({ name: 'InvalidRequestError' });
      expect(String(error)).toContain('must be a plain object');
    }
    expect(transport.sent).toEqual([]);
  });

  it.each([
    ['a controller', new AbortController()],
    ['its signal', new AbortController().signal],
  ])('are refused as options: %s', async (_, options) => {
    const { client, transport } = dealer([]);
    expect(String(await rejection(client.bids.submit('lot_1', { amount: '1' }, options as object)))).toMatch(
      /options must be an object with any of signal/,
    );
    expect(transport.sent).toEqual([]);
  });

  it("are not an instance of the caller's class with fields of its own", async () => {
    const { client, transport } = dealer([{ status: 201, json: accepted() }]);
    await client.bids.submit('lot_1', new Fields());
    expect(transport.sent[0]?.body).toContain('"amount":"465000"');
  });
});

describe('odd things around a client', () => {
  it('an async logger that fails ends no process', async () => {
    const broken = async () => {
      throw new Error('disk full');
    };
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { client } = dealer([event], {
      logger: { error: broken, warn: broken, info: broken, debug: broken },
      logLevel: 'debug',
    });
    await client.events.get('auc_1');
    await settle();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('a credentials function that hangs once is asked again by the next call', async () => {
    let asked = 0;
    const { client, clock } = dealer([event], {
      credentials: () => (++asked === 1 ? new Promise(() => undefined) : credentials),
    });
    const late = rejection(client.events.get('auc_1', { deadline: 100 }));
    await clock.advance(100);
    expect(await late).toMatchObject({ name: 'TimeoutError' });
    await client.events.get('auc_1');
    expect(asked).toBe(2);
  });

  it('options that are changed later change no derived client', async () => {
    const options: { -readonly [K in keyof PartnerClientOptions]: PartnerClientOptions[K] } = {
      environment: 'sandbox',
      baseUrl: 'https://bank.example/api/v1',
      credentials,
      partnerType: 'direct_dealer',
      dealerId: 'D-1',
    };
    const first = new PartnerClient(options);
    options.dealerId = 'D-2';
    options.partnerType = 'platform';
    expect(JSON.stringify(first.withOptions({}))).toBe(JSON.stringify(first));
  });

  it('a proxy never sees a signature in the clear', () => {
    const options = {
      baseUrl: 'http://127.0.0.1:9/api/v1',
      credentials,
      partnerType: 'direct_dealer',
    } as const;
    expect(
      () => new PartnerClient({ environment: 'sandbox', ...options, proxy: 'http://proxy.example:3128' }),
    ).toThrow(/proxy must be left out where the base URL is plain http/);
    expect(() => new PartnerClient({ environment: 'sandbox', ...options, proxy: 'env' })).not.toThrow();
  });

  it('a transport failure of the other build is known by its brand', async () => {
    const brand = Symbol.for('vehicle-auction-sdk.transportFailure');
    const foreign = Object.assign(new Error('refused'), { sent: 'no', [brand]: true });
    expect(foreign).toBeInstanceOf(TransportFailure);
    expect(new Error('x')).not.toBeInstanceOf(TransportFailure);
    const { client } = dealer([], {
      maxAttempts: 1,
      transport: { send: () => Promise.reject(foreign), close: async () => undefined },
    });
    const error = await rejection(client.bids.submit('lot_1', { amount: '1' }));
    expect(error).toMatchObject({ outcome: 'not_sent' });
  });

  it('a hostile 422 makes no endless message', async () => {
    const errors = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`f${index}`, ['No.'.repeat(99)]]),
    );
    const codes = Array.from({ length: 5_000 }, (_, index) => `CODE_${index}`);
    const { client } = dealer([
      { status: 422, json: { message: 'x', errors } },
      { status: 422, json: { success: false, code: 'A', errors: codes } },
    ]);
    for (const _ of [1, 2]) {
      expect(String(await rejection(client.bids.submit('lot_1', { amount: '1' }))).length).toBeLessThan(
        4_000,
      );
    }
  });

  it('an odd value under a name that shows the secret is logged without the name', async () => {
    const lines: string[] = [];
    const warn = (message: string, fields?: object) =>
      void lines.push(message + inspect(fields, { depth: 9 }));
    const odd = {
      data: {
        id: 'b',
        auction_id: 'a',
        starting_price: '1.00',
        public_fields: { [SECRET]: 5, ['k'.repeat(9_999)]: 5 },
      },
    };
    const { client } = dealer([{ status: 200, json: odd }], {
      logger: { error: warn, warn, info: warn, debug: warn },
      logLevel: 'warn',
    });
    await client.events.lot('a', 'b');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain(SECRET);
    expect(lines[0]?.length).toBeLessThan(2_000);
  });

  it.skipIf(process.platform === 'win32')('what is no file is not waited for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fifo-'));
    const fifo = join(folder, 'pipe');
    execFileSync('mkfifo', [fifo]);
    const { client, transport } = bank([]);
    for (const path of [fifo, '/dev/zero']) {
      const upload = { sale_id: 's', purpose: 'p', filename: 'f', content_base64: fileContent(path) };
      expect(String(await rejection(client.documents.upload(upload)))).toMatch(
        /content_base64.*no regular file/,
      );
    }
    rmSync(folder, { recursive: true });
    expect(transport.sent).toEqual([]);
  });

  it('says as JSON what it says as text', async () => {
    const { client } = dealer([
      { status: 403, json: { success: false, code: 'SCOPE_DENIED', message: 'bids:write', errors: [] } },
    ]);
    const error = await rejection(client.events.get('auc_1'));
    const json = JSON.parse(JSON.stringify(error));
    expect(json).toMatchObject({
      name: 'PermissionError',
      call: 'events.get',
      code: 'SCOPE_DENIED',
      serviceMessage: 'bids:write',
      outcome: 'refused',
    });
    expect(json.message).toContain('SCOPE_DENIED');
    expect(json).not.toHaveProperty('stack');
  });

  it('a pager shows what it is', () => {
    const { client } = dealer([]);
    expect(inspect(client.events.list())).toBe('Pager of events.list (nothing is sent before it is walked)');
    expect(inspect(client.winnerUpdates.list())).toMatch(/^CursorPager of winnerUpdates\.list/);
  });

  it('a clock that fails before anything is sent sent nothing; one that fails later hides no bid', async () => {
    const broken = () => {
      throw new Error('clock stopped');
    };
    const early = dealer([], { clock: { monotonic: broken } });
    expect(await rejection(early.client.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
      outcome: 'not_sent',
    });
    let works = true;
    const profileReply = () => new ToldTime(new ScriptedTransport()).answer();
    const late = dealer([{ status: 201, json: accepted() }], {
      clock: { monotonic: () => (works ? 0 : broken()), after: () => () => undefined },
      transport: {
        send: async (request) => {
          if (request.method === 'GET') return profileReply();
          works = false;
          throw new Error('cut');
        },
        close: async () => undefined,
      },
    });
    expect(await rejection(late.client.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'unknown',
      idempotencyKey: '00000000-0000-4000-8000-000000000001',
    });
  });

  it('a clock that fails just before the first byte leaves no timer behind', async () => {
    let works = true;
    const timers = new Set<object>();
    const { client, transport } = dealer([], {
      clock: {
        monotonic: () => {
          if (!works) throw new Error('clock stopped');
          return 0;
        },
        after: () => {
          const timer = {};
          timers.add(timer);
          return () => void timers.delete(timer);
        },
      },
      randomness: {
        nonce: () => {
          works = false;
          return 'nonce-000000000001';
        },
      },
    });
    expect(await rejection(client.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
      name: 'ConfigurationError',
    });
    expect(transport.sent).toEqual([]);
    expect(timers.size).toBe(0);
  });

  it('a signal that fires between the wait and the first byte lets nothing out', async () => {
    const abort = new AbortController();
    const { client, transport } = dealer([{ status: 201, json: accepted() }], {
      randomness: {
        uuid: () => '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f',
        nonce: () => {
          abort.abort();
          return 'nonce-000000000001';
        },
      },
    });
    expect(
      await rejection(client.bids.submit('lot_1', { amount: '1' }, { signal: abort.signal })),
    ).toMatchObject({
      name: 'AbortedError',
      outcome: 'not_sent',
    });
    expect(transport.sent).toEqual([]);
  });
});
