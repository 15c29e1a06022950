import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { credentials, rejection } from '../support/clients.js';
import { deferred, listen } from '../support/loopback.js';
import { settle } from '../support/virtual-clock.js';

/** A process in which undici has not been loaded yet. */
async function freshClient(baseUrl: string) {
  vi.resetModules();
  const { PartnerClient } = await import('../../src/client/partner-client.js');
  return new PartnerClient({
    environment: 'sandbox',
    baseUrl,
    credentials,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    logLevel: 'off',
    maxAttempts: 1,
  });
}

describe('the first call of a process, which loads undici', () => {
  beforeEach(() => vi.resetModules());
  afterEach(() => {
    vi.doUnmock('undici');
  });

  it('knows that nothing was sent when it is aborted while undici loads', async () => {
    const { promise: gate, resolve: load } = deferred();
    vi.doMock('undici', async (importOriginal) => {
      const original = await importOriginal();
      await gate;
      return original as object;
    });
    await using server = await listen(createServer((_, res) => res.end('{}')));
    const auction = await freshClient(server.baseUrl);
    const abort = new AbortController();
    const failed = rejection(auction.bids.submit('lot_1', { amount: '1' }, { signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await failed).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    load();
    await settle();
    await auction.close();
    expect(server.requests).toEqual([]);
    expect(server.connections.count).toBe(0);
  });

  it('knows that nothing was sent when undici cannot be loaded, and tries to load it again', async () => {
    let broken = true;
    vi.doMock('undici', async (importOriginal) => {
      if (broken) throw new Error('disk unreadable');
      return (await importOriginal()) as object;
    });
    await using server = await listen(
      createServer((_, res) =>
        res.end(JSON.stringify({ data: { id: 'a', status: 'live', bid_increment: '1.00', revision: 1 } })),
      ),
    );
    const auction = await freshClient(server.baseUrl);
    expect(await rejection(auction.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
      name: 'NotSentError',
      outcome: 'not_sent',
      cause: { name: 'ConnectionError', outcome: 'not_sent' },
    });
    broken = false;
    expect(await auction.events.get('a')).toMatchObject({ id: 'a' });
    await auction.close();
  });
});
