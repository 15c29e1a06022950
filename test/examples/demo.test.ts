import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { Narrator } from '../../examples/demo/narrator.js';
import { tellStory } from '../../examples/demo/story.js';
import { root } from '../support/sources.js';

describe('the demo', () => {
  it('ends well, with every claim ticked, in plain text and without a secret', async () => {
    const program = ['--import', 'tsx', 'examples/demo/main.ts'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, program, { cwd: root });
    expect(stderr).toBe('');
    expect(stdout.match(/✓/g)).toHaveLength(18);
    expect(stdout).not.toContain('\u001b[');
    expect(stdout).not.toContain('secret-of-the');
  });

  it.each<[string, (sandbox: Sandbox) => Partial<Sandbox>]>([
    ['a bid is doubled', (sandbox) => ({ ledger: () => [...sandbox.ledger(), ...sandbox.ledger()] })],
    ['the connection is not cut', () => ({ inject: () => () => undefined })],
    [
      'a bid is lost',
      ({ inject }) => ({ inject: () => inject({ operation: 'bids.submit', fault: 'drop_before_commit' }) }),
    ],
    [
      'a photo is none',
      ({ inject }) => {
        inject({ operation: 'events.media', fault: 'garbage', status: 200 });
        return {};
      },
    ],
    [
      'the bank may not decide',
      ({ credentials, partners }) => {
        partners.update(credentials.bank.clientId, { scopes: ['integration:read', 'sales:read'] });
        return {};
      },
    ],
  ])('fails where %s', async (_, spoil) => {
    await using sandbox = await startSandbox({ scan: 0 });
    const story = tellStory({ ...sandbox, ...spoil(sandbox) }, new Narrator(() => undefined, false));
    await expect(story).rejects.toThrow();
  });
});
