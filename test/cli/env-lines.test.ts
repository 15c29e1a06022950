import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { durationMs } from '../../src/cli/duration.js';
import { envLine } from '../../src/cli/env-lines.js';

it.each(['', 'a b', "it's", '$HOME `id` $(id)', 'a"b\\c', '*', '~', 'ünï', '#x'])(
  'a shell reads %j back as it was',
  (value) => {
    const script = `${envLine('NAME', value)}; printf %s "$NAME"`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(value);
  },
);

it('leaves plain values without quotes, for parsers that know none', () => {
  expect(envLine('NAME', 'http://127.0.0.1:4010/api/v1')).toBe('NAME=http://127.0.0.1:4010/api/v1');
});

it.each([
  ['500ms', 500],
  ['90s', 90_000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['0.5s', 500],
  ['', undefined],
  ['5', undefined],
  ['5 m', undefined],
  ['m', undefined],
  ['-5m', undefined],
  ['5w', undefined],
])('%j lasts %j', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});
