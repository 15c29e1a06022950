import { describe, expect, it } from 'vitest';
import { dealer } from '../support/clients.js';

describe('the lots of a batch', () => {
  // rule: limit.batch
  it('are sent as they are, a hundred and one of them too', async () => {
    // A hundred is what the text proposes and doesn't confirm: the service has the last word.
    const { client, transport } = dealer([{ status: 200, json: { data: [], server_time: 'T' } }]);
    const lot_ids = Array.from({ length: 101 }, (_, index) => `lot_${index}`);
    expect(await client.lots.statusBatch({ lot_ids })).toEqual([]);
    expect(transport.sent.map(({ body }) => JSON.parse(body ?? ''))).toEqual([{ lot_ids }]);
  });
});
