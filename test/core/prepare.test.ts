import { describe, expect, it } from 'vitest';
import { prepare } from '../../src/core/request/prepare.js';
import { events } from '../../src/routes/events.js';
import { digests } from '../../src/signing/signer.js';

const defaults = { origin: 'https://bank.example', prefix: '', fill: {}, partnerType: undefined };
const tools = { digests, uuid: () => '00000000-0000-4000-8000-000000000001' };

describe('a prepared call', () => {
  it('would never send another path than it signs, even if a schema let a bad id through', () => {
    const lax = { ...events.get, params: { event: 'string' } } as const;
    for (const event of ['..', '.', '']) {
      const make = () => prepare(lax, { path: { event } }, undefined, defaults, tools);
      if (event === '') expect(make().signedPath).toBe('/api/v1/events/');
      else expect(make).toThrow(/reach the service unchanged/);
    }
  });
});
