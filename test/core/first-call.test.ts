import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { event, rejection } from '../support/clients.js';
import { deferred, listen } from '../support/loopback.js';
import { settle } from '../support/virtual-clock.js';

const eventText = JSON.stringify('json' in event ? event.json : {});

describe('the first call of a process, which loads undici', () => {
  /** A client of a process in which undici has not been loaded yet, and is loaded like this. */
  async function freshClient(baseUrl: string, load: () => unknown) {
    vi.doMock('undici', async (importOriginal) => {
      await load();
      return importOriginal<object>();
    });
    const fresh = await import('../support/clients.js');
    return fresh.overSockets(baseUrl, { maxAttempts: 1 });
  }

  beforeEach(() => void vi.resetModules());
  afterEach(() => void vi.doUnmock('undici'));

  it('knows that nothing was sent when it is aborted while undici loads', async () => {
    const { promise: gate, resolve: load } = deferred();
    await using server = await listen(createServer((_, res) => res.end(eventText)));
    const auction = await freshClient(server.baseUrl, () => gate);
    const abort = new AbortController();
    const failed = rejection(auction.bids.submit('lot_1', { amount: '1' }, { signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await failed).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    load();
    await settle();
    await auction.close();
    expect(server.connections.count).toBe(0);
  });

  it('knows that nothing was sent when undici cannot be loaded, and tries to load it again', async () => {
    let broken = true;
    await using server = await listen(createServer((_, res) => res.end(eventText)));
    const auction = await freshClient(server.baseUrl, () => {
      if (broken) throw new Error('disk unreadable');
    });
    expect(await rejection(auction.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
      name: 'NotSentError',
      outcome: 'not_sent',
      cause: { name: 'ConnectionError', outcome: 'not_sent' },
    });
    broken = false;
    expect(await auction.events.get('a')).toMatchObject({ id: 'auc_1' });
    await auction.close();
  });
});
