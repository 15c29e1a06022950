import { describe, expect, it } from 'vitest';
import type { LogLevel } from '../../src/ports/logger.js';
import { accepted, dealer } from '../support/clients.js';

describe('logging', () => {
  it.each<[LogLevel, readonly string[]]>([
    ['off', []],
    ['error', []],
    ['warn', ['warn', 'warn']],
    ['info', ['warn', 'warn']],
    ['debug', ['debug', 'warn', 'debug', 'warn']],
  ])('at level %s', async (logLevel, expected) => {
    const lines: string[] = [];
    const to = (name: string) => () => void lines.push(name);
    const { client, clock } = dealer(
      [{ fail: 'maybe' }, { status: 201, json: accepted({ replayed: 'odd' }) }],
      {
        logLevel,
        logger: { error: to('error'), warn: to('warn'), info: to('info'), debug: to('debug') },
      },
    );
    // A01 tells the time before.
    await client.integration.profile();
    lines.length = 0;
    const call = client.bids.submit('lot_1', { amount: '1' });
    await clock.advance(1_000);
    await call;
    expect(lines).toEqual(expected);
  });

  it('changes no call when the logger throws', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const { client } = dealer([{ status: 201, json: accepted({ replayed: 'odd' }) }], {
      logLevel: 'debug',
      logger: { error: fail, warn: fail, info: fail, debug: fail },
    });
    expect(await client.bids.submit('lot_1', { amount: '1' })).toMatchObject({ status: 'accepted' });
  });
});
