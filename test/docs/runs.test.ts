import { describe, expect, it, vi } from 'vitest';
import { docBlocks } from '../support/doc-blocks.js';
import { runBlock, shownBy } from '../support/doc-runs.js';
import { isThorough } from '../support/thorough.js';

// Each is a process, and most of its time is that of Node's start.
vi.setConfig({ maxConcurrency: 3 });

const code = docBlocks().filter(({ language }) => language === 'ts' || language === 'js');

/** Where everybody begins. */
const first = ['README.md', 'docs/getting-started.md'];
const waysOf = ({ marks }: (typeof code)[number]) => marks.join(' ');

// All are compiled by test/docs/blocks.test.ts. Without THOROUGH=1, which CI has, one of each way to run them is run.
const blocks = code.filter(
  (block, index) =>
    isThorough ||
    first.includes(block.page) ||
    code.findIndex((other) => waysOf(other) === waysOf(block)) === index,
);

describe.concurrent('code in the docs', () => {
  it.each(blocks.map((block) => [block.place, block] as const))('%s runs', async (_, block) => {
    const { stdout, stderr, asked, committed, tunnels } = await runBlock(block);
    const failsFirst = block.marks.some((mark) => mark.startsWith('fault:'));
    // The client warns where things go wrong on purpose, and only there.
    if (failsFirst) expect(stderr).toMatch(/^\[vehicle-auction\] /);
    else expect(stderr).toBe('');
    // It did something: asked the service behind it, and said so, unless a caller looks at what it does.
    if (asked !== undefined) expect(asked).toBeGreaterThan(0);
    if (!failsFirst && !block.marks.some((mark) => mark.startsWith('call:'))) expect(stdout).not.toBe('');
    if (block.marks.includes('shows')) expect(stdout.trimEnd().split('\n')).toEqual(shownBy(block));
    // After the failures it went on, and came to one effect.
    if (failsFirst) expect({ asked: Number(asked) > 3, committed }).toEqual({ asked: true, committed: 1 });
    if (block.marks.includes('tunnel')) expect(tunnels).toBeGreaterThan(0);
    if (block.marks.includes('vitest')) expect(stdout).toMatch(/ Tests +\d+ passed \(/);
  });
});
