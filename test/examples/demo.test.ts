import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { Narrator } from '../../examples/demo/narrator.js';
import { tellStory } from '../../examples/demo/story.js';
import { root } from '../support/sources.js';

const run = promisify(execFile);
/** Things that must hold, each with its tick. */
const claims = 28;

describe('the demo', () => {
  it('tells the whole story as a program, in plain text, and ends by itself', async () => {
    const { stdout, stderr } = await run(process.execPath, ['--import', 'tsx', 'examples/demo/main.ts'], {
      cwd: root,
    });
    expect(stderr).toBe('');
    expect(stdout).not.toContain('\u001b[');
    expect(stdout).toContain('Everything held.');
    expect(stdout.match(/✓/g)).toHaveLength(claims);
    for (const told of [
      'image/jpeg',
      'HTTP 201',
      'outbid',
      'attempt 1: unknown',
      'HTTP 200, replayed',
      'two requests, one bid',
      'approved, version 2',
      'acknowledged at',
      'awaiting_scan',
      'nothing remains to be paid',
      'the release is used',
      'vehicle.collected',
    ])
      expect(stdout).toContain(told);
    expect(stdout).not.toContain('secret-of-the');
  });

  it('tells the same as a platform for one of its buyers, behind a front controller', async () => {
    const { stdout, stderr } = await run(
      process.execPath,
      ['--import', 'tsx', 'examples/demo/main.ts', '--platform', '--prefix', '/index.php'],
      { cwd: root },
    );
    expect(stderr).toBe('');
    expect(stdout.match(/✓/g)).toHaveLength(claims);
    expect(stdout).toContain('GET /index.php/api/v1/events');
    expect(stdout).toContain('│ path                /api/v1/integration/profile');
    expect(stdout).toContain('"bidder_reference":"buyer-7"');
  });

  it('tells the same over CommonJS', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vehicle-auction-cjs-'));
    try {
      await mkdir(join(folder, 'node_modules'));
      await symlink(root, join(folder, 'node_modules/vehicle-auction-sdk'), 'dir');
      const outfile = join(folder, 'demo.cjs');
      await build({
        entryPoints: [join(root, 'examples/demo/main.ts')],
        outfile,
        bundle: true,
        platform: 'node',
        target: 'node20',
        format: 'cjs',
        external: ['vehicle-auction-sdk', 'vehicle-auction-sdk/sandbox'],
        logLevel: 'silent',
      });
      const { stdout, stderr } = await run(process.execPath, [outfile], { cwd: folder });
      expect(stderr).toBe('');
      expect(stdout.match(/✓/g)).toHaveLength(claims);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('ends with an exit code when something is off', async () => {
    const failed = await run(
      process.execPath,
      ['--import', 'tsx', 'examples/demo/main.ts', '--prefix', 'no-slash'],
      { cwd: root },
    ).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('Something is off') });
  });
});

describe('the story fails on', () => {
  const spoilt: readonly [string, (sandbox: Sandbox) => Partial<Sandbox>, RegExp][] = [
    [
      'a doubled bid',
      (sandbox) => ({ ledger: () => [...sandbox.ledger(), ...sandbox.ledger()] }),
      /two requests, one bid/,
    ],
    ['a connection that was not cut', () => ({ inject: () => () => undefined }), /the reply was lost/],
    [
      'a bid that was lost',
      (sandbox) => ({
        inject: () => sandbox.inject({ operation: 'bids.submit', fault: 'drop_before_commit' }),
      }),
      /the first copy had arrived/,
    ],
    [
      'a photo that is none',
      (sandbox) => {
        sandbox.inject({ operation: 'events.media', fault: 'garbage', status: 200 });
        return {};
      },
      /the photo came whole/,
    ],
    [
      'a bank that may not decide',
      (sandbox) => {
        const { clientId } = sandbox.credentials.bank;
        sandbox.partners.update(clientId, { scopes: ['sales:read'] });
        return {};
      },
      /SCOPE_DENIED/,
    ],
  ];
  it.each(spoilt)('%s', async (_, spoil, message) => {
    await using sandbox = await startSandbox({ scanMs: 0 });
    const changed = { ...sandbox, ...spoil(sandbox) };
    await expect(tellStory(changed, new Narrator(() => undefined, false))).rejects.toThrow(message);
  });
});
