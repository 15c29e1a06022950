import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ran } from './command.js';

const hasBash = spawnSync('bash', ['--version']).status === 0;

/** What bash offers after these words; the last one is being typed. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await ran('completion', 'bash');
  const asked = `${stdout}\nCOMP_WORDS=(vehicle-auction-sdk "$@"); COMP_CWORD=$#; _vehicle_auction; echo "\${COMPREPLY[*]}"`;
  const result = spawnSync('bash', ['--norc', '-c', asked, 'bash', ...words], { encoding: 'utf8' });
  expect(result.stderr).toBe('');
  return result.stdout.trim().split(' ');
}

describe('completion', () => {
  it.skipIf(!hasBash).each<[words: readonly string[], offer: readonly string[]]>([
    [['b'], ['board', 'bid', 'bids']],
    [['bids', ''], ['place']],
    [['bids', 'place', 'bids.csv', '--b'], ['--batch-id']],
    [['--json', 'bids', 'p'], ['place']],
    [
      ['sandbox', '--as', 'bank'],
      ['bank', 'bankChecker'],
    ],
    [
      ['call', 'events.l'],
      ['events.list', 'events.lots', 'events.lot'],
    ],
    [['call', 'events.list', '--pa'], ['--page']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['halt', '--y'], ['--yes']],
    // Nothing, so that the shell offers files.
    [['bids', 'place', ''], ['']],
  ])('offers after %j what the program takes', async (words, offer) => {
    expect(await offered(...words)).toEqual(offer);
  });

  it.each([
    ['bash', /^complete -o default -F _vehicle_auction vehicle-auction-sdk vehicle-auction$/m],
    ['zsh', /^autoload -Uz compinit bashcompinit/],
    ['fish', /^complete -c vehicle-auction-sdk -f -a '\(__vehicle_auction\)'$/m],
  ])('prints a script for %s', async (shell, registers) => {
    const { code, stdout } = await ran('completion', shell);
    expect([code, stdout]).toEqual([0, expect.stringMatching(registers)]);
    expect(stdout).toContain("'intents abandon'");
  });

  it('names the shells that it knows', async () => {
    const { code, stderr } = await ran('completion', 'tcsh');
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});
