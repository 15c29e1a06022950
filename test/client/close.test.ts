import { describe, expect, it } from 'vitest';
import { accepted, dealer } from '../support/clients.js';
import { settle } from '../support/virtual-clock.js';

describe('closing a client', () => {
  it('waits for what is under way, lets nothing else in, and leaves an injected transport alone', async () => {
    const { client, transport, clock } = dealer([{ fail: 'maybe' }, { status: 201, json: accepted() }], {
      randomness: { fraction: () => 1, nonce: () => 'n'.repeat(16) },
    });
    const call = client.bids.submit('lot_1', { amount: '1' });
    await settle();
    let closed = false;
    const closing = client.close().then(() => {
      closed = true;
    });
    await settle();
    expect(closed).toBe(false);
    await expect(client.events.get('auc_1')).rejects.toMatchObject({
      name: 'AbortedError',
      outcome: 'not_sent',
    });
    await clock.advance(250);
    expect(await call).toMatchObject({ status: 'accepted' });
    await closing;
    expect(transport.sent).toHaveLength(2);
    expect(transport.closed).toBe(0);
    await client.close();
  });
});
