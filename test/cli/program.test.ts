import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { program } from '../../src/cli/run.js';
import { routes } from '../../src/generated/routes.js';
import { ran } from './command.js';

const manifest = (await import('../../package.json', { with: { type: 'json' } })).default;

describe('vehicle-auction', () => {
  it('tells its version, its commands, and the shape of a seed', async () => {
    expect(await ran('--version')).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
    const help = await ran('--help');
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(/sandbox \[options\][\s\S]*seed-schema/);
    const sandbox = await ran('sandbox', '--help');
    expect(sandbox.stdout).toContain('--port <number>');
    expect(sandbox.stdout).toMatch(/\(default:\s+120\)/);
    const schema = await ran('seed-schema');
    expect(JSON.parse(schema.stdout)).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('shows an example in the help of every command', async () => {
    const leaves = (command: Command): readonly (readonly string[])[] =>
      command.commands.length === 0
        ? [[command.name()]]
        : command.commands.flatMap(leaves).map((path) => [command.name(), ...path]);
    const all = program({ out: () => {}, err: () => {} }).commands.flatMap(leaves);
    expect(all.length).toBeGreaterThan(50);
    for (const path of all) {
      const { stdout } = await ran(...path, '--help');
      expect(stdout).toMatch(new RegExp(`  (\\$ )?vehicle-auction-sdk ${path.join(' ')}\\b`));
    }
  });

  it('lists --yes on exactly the commands that ask before they change something', () => {
    const asking = (command: Command, words: readonly string[] = []): string[] =>
      command.commands.flatMap((each) => {
        const named = [...words, each.name()];
        const asks = each.options.some(({ long }) => long === '--yes');
        return [...(asks ? [named.join(' ')] : []), ...asking(each, named)];
      });
    const all = asking(program({ out: () => {}, err: () => {} }));
    const calls = all.filter((name) => name.startsWith('call '));
    const writes = routes.filter(({ effect }) => effect !== 'read').map(({ name }) => `call ${name}`);
    expect(calls.toSorted()).toEqual(writes.toSorted());
    expect(all.filter((name) => !calls.includes(name)).toSorted()).toEqual([
      ...['approve', 'bid', 'bids place', 'documents upload', 'halt', 'intents abandon', 'inventory import'],
      ...[
        'learn',
        'recover',
        'request',
        'resume',
        'store restore',
        'support-bundle',
        'webhook dismiss',
        'webhook retry',
      ],
    ]);
  });

  it.each([
    [[], 'Usage: vehicle-auction'],
    [['nonsense'], "unknown command 'nonsense'"],
    [['sandbox', '--nonsense'], "unknown option '--nonsense'"],
    [['sandbox', 'extra'], 'too many arguments'],
    [['sandbox', '--as', 'nobody'], 'Allowed choices are dealer, platform, aggregator, rival, bank'],
    [['sandbox', '--clock', 'fast'], 'Allowed choices are real, manual'],
    [['sandbox', '--port', '4o10'], '--port must be a whole number, not "4o10"'],
    [['sandbox', '--port', '65536'], '--port must be a whole number from 0 to 65535'],
    [
      ['sandbox', '--rate-limit', 'none'],
      '--rate-limit, unless it is off, must be a whole number, not "none"',
    ],
    [['sandbox', '--rate-limit', '0'], 'options.rateLimit'],
    [['sandbox', '--scan', '5'], '--scan must be a duration such as 500ms, 90s, 10m or 1h30m, not "5"'],
    [['sandbox', '--start-at', 'yesterday'], 'ISO 8601 date-time with a zone'],
    [
      ['sandbox', '--variant', 'row'],
      '--variant must be a pair such as bank-unavailable-status=403, not "row"',
    ],
    [['sandbox', '--variant', 'bank-unavailable-status=500'], 'options.variants.bank-unavailable-status'],
    [['sandbox', '--deployment', 'symfony'], '--deployment must be laravel or a pair such as money=number'],
    [['sandbox', '--deployment', 'money=float'], 'options.deployment.money must be "text" or "number"'],
    [['sandbox', '--deployment', 'laravel', '--deployment', 'x=y'], 'options.deployment has no field "x"'],
    [['sandbox', '--seed', 'no-such.json'], "--seed: no-such.json can't be read"],
    [['sandbox', '--seed', 'package.json'], 'seed has no field "name"'],
    [['sandbox', '--seed', 'README.md'], '--seed: README.md is not JSON'],
    [['sandbox', '--allow-ip', 'everywhere'], 'options.allowedIps[0] must be '],
  ])('%j ends with 2 and says what is allowed', async (args, told) => {
    const { code, stdout, stderr } = await ran(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(told);
  });
});
