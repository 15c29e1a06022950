import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { Narrator } from '../../examples/demo/narrator.js';
import { tellStory } from '../../examples/demo/story.js';
import { root } from '../support/sources.js';

describe('the demo', () => {
  it('tells the whole story as a program, in plain text, and ends by itself', async () => {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', 'examples/demo/main.ts'],
      { cwd: root },
    );
    expect(stderr).toBe('');
    expect(stdout).not.toContain('\u001b[');
    expect(stdout).toContain('Everything held.');
    expect(stdout.match(/✓/g)).toHaveLength(11);
    for (const told of [
      'HTTP 201',
      'outbid',
      'outcome: unknown',
      'accepted, as of',
      'HTTP 200, replayed',
      'two requests, one bid',
    ])
      expect(stdout).toContain(told);
    expect(stdout).not.toContain('secret-of-the');
  });

  it.each([
    [
      'a doubled bid',
      (sandbox: Awaited<ReturnType<typeof startSandbox>>) => ({
        ...sandbox,
        ledger: () => [...sandbox.ledger(), ...sandbox.ledger()],
      }),
      /two requests, one bid/,
    ],
    [
      'a connection that was not cut',
      (sandbox: Awaited<ReturnType<typeof startSandbox>>) => ({ ...sandbox, inject: () => () => undefined }),
      /should have surfaced/,
    ],
    [
      'a bid that was lost',
      (sandbox: Awaited<ReturnType<typeof startSandbox>>) => ({
        ...sandbox,
        inject: () => sandbox.inject({ operation: 'bids.submit', fault: 'drop_before_commit' }),
      }),
      /the bid had arrived/,
    ],
  ])('fails on %s', async (_, spoil, message) => {
    await using sandbox = await startSandbox();
    await expect(tellStory(spoil(sandbox), new Narrator(() => undefined, false))).rejects.toThrow(message);
  });
});
