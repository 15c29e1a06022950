import { beforeAll, describe, expect, it } from 'vitest';
import { VirtualDisk } from '../../support/virtual-disk.js';
import { change, errorOf, journalOn, make, PATH, START, standings } from './kit.js';
import { version1Of } from './version-1.js';

/** A file, and what was durable in it by the time that it had so many bytes. */
interface Sample {
  readonly bytes: Uint8Array;
  readonly durable: readonly { readonly length: number; readonly standings: readonly string[] }[];
}

/** A few hundred bytes to each of six steps, some of them sharing a group. */
async function written(end: 'closed' | 'killed', now = START): Promise<Sample> {
  const disk = new VirtualDisk();
  const journal = journalOn(disk, { clock: { now: () => now, monotonic: () => 0 } });
  await journal.open();
  const durable: Sample['durable'][number][] = [];
  const note = async () => {
    durable.push({ length: disk.bytes(PATH)?.length ?? 0, standings: await standings(journal) });
  };
  await note();
  const fence = await make(journal, 'key-1');
  await note();
  await change(journal, 'key-1', fence, 'unknown', 1);
  await note();
  await Promise.all([make(journal, 'key-2'), make(journal, 'key-3', 'unknown'), make(journal, 'key-4')]);
  await note();
  await change(journal, 'key-1', fence, 'accepted', 2);
  await note();
  await make(journal, 'key-5');
  await note();
  if (end === 'closed') await journal.close();
  else disk.kill();
  return { bytes: disk.bytes(PATH) ?? new Uint8Array(), durable };
}

/** What a file is opened with: what it then holds, or why it isn't. */
async function opened(bytes: Uint8Array): Promise<{ standings?: string[]; refused?: string }> {
  const disk = new VirtualDisk();
  disk.put(PATH, bytes);
  const journal = journalOn(disk);
  const error = await errorOf(journal.open());
  if (error !== undefined) {
    // What is refused is left as it was found.
    if (!Buffer.from(bytes).equals(disk.bytes(PATH) ?? new Uint8Array()))
      throw new Error('it was written to');
    return { refused: error.message };
  }
  const found = await standings(journal);
  await journal.close();
  return { standings: found };
}

/** What must be there of a file that was cut after so many bytes. */
function durableAt({ durable }: Sample, length: number): readonly string[] {
  return durable.filter((step) => step.length <= length).at(-1)?.standings ?? [];
}

const ends = { closed: () => written('closed'), killed: () => written('killed'), 'of version 1': version1 };

async function version1(): Promise<Sample> {
  const { bytes, durable } = version1Of(['key-1', 'key-2', 'key-3']);
  return { bytes, durable };
}

describe.each(Object.entries(ends))('a journal that was %s', (_, sampleOf) => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await sampleOf();
  });

  it('opens as it was left', async () => {
    expect((await opened(sample.bytes)).standings).toEqual(durableAt(sample, Number.POSITIVE_INFINITY));
  });

  it('cut at any byte, has what was durable by then, or is refused', async () => {
    const { bytes } = sample;
    const header = sample.durable[0]?.length ?? 0;
    let refused = 0;
    for (let length = 0; length < bytes.length; length += 1) {
      const found = await opened(bytes.slice(0, length));
      if (found.standings === undefined) refused += 1;
      else expect(found.standings, `cut at ${length}`).toEqual(durableAt(sample, length));
    }
    // Only in the header, which is there from the first moment of a file.
    expect(refused).toBe(Math.min(header, 32));
  });

  it.each([
    ['all bits', () => 0xff],
    ['some bits', (at: number) => ((at * 37) % 255) + 1],
  ])('with %s of any byte turned over, is refused', async (_name, turned) => {
    const { bytes } = sample;
    const passed: number[] = [];
    for (let at = 0; at < bytes.length; at += 1) {
      const spoilt = bytes.slice();
      spoilt[at] = (spoilt[at] ?? 0) ^ turned(at);
      const { refused } = await opened(spoilt);
      if (refused === undefined || !/ (damaged at byte \d+|format version)/.test(refused)) passed.push(at);
    }
    expect(passed).toEqual([]);
  });

  it('with zeros or noise behind it, opens without them', async () => {
    for (const tail of [new Uint8Array(700), Uint8Array.from({ length: 700 }, (_, at) => (at * 89) % 256)]) {
      const found = await opened(Uint8Array.from([...sample.bytes, ...tail]));
      expect(found.standings).toEqual(durableAt(sample, Number.POSITIVE_INFINITY));
    }
  });

  it('with a byte more or less in the middle, is refused', async () => {
    const bytes = [...sample.bytes];
    const last = sample.durable.at(-2)?.length ?? 0;
    for (let at = 40; at < last; at += 13) {
      const more = Uint8Array.from(bytes.toSpliced(at, 0, 0x20));
      const less = Uint8Array.from(bytes.toSpliced(at, 1));
      expect((await opened(more)).refused, `more at ${at}`).toMatch(/damaged at byte/);
      expect((await opened(less)).refused, `less at ${at}`).toMatch(/damaged at byte/);
    }
  });
});

describe('a journal', () => {
  it('with a group left out, doubled or moved, is refused', async () => {
    const { bytes, durable } = await written('killed');
    const [a = 0, b = 0, c = 0] = durable.slice(1).map(({ length }) => length);
    const part = (from: number, to?: number) => [...bytes.slice(from, to)];
    const spoilt = {
      'left out': [...part(0, a), ...part(b)],
      doubled: [...part(0, b), ...part(a)],
      moved: [...part(0, a), ...part(b, c), ...part(a, b), ...part(c)],
    };
    for (const [how, content] of Object.entries(spoilt)) {
      expect((await opened(Uint8Array.from(content))).refused, how).toMatch(/damaged at byte/);
    }
  });

  it('with the groups of another one behind its own, is refused', async () => {
    const { bytes, durable } = await written('killed');
    const other = await written('killed', START + 1);
    const at = durable[2]?.length ?? 0;
    const both = Uint8Array.from([...bytes.slice(0, at), ...other.bytes.slice(at)]);
    expect((await opened(both)).refused).toMatch(/damaged at byte/);
  });

  it('that lost two groups at its end to damage, is refused', async () => {
    const { bytes, durable } = await written('killed');
    const [before = 0, last = 0] = durable.slice(-3).map(({ length }) => length);
    const spoilt = bytes.slice();
    spoilt.fill(0, before + 100, before + 140);
    spoilt.fill(0, last + 100, last + 140);
    expect((await opened(spoilt)).refused).toMatch(new RegExp(`damaged at byte ${before}:`));
  });

  it('with a byte changed in its last group, is refused though zeros follow', async () => {
    const { bytes, durable } = await written('killed');
    const last = durable.at(-2)?.length ?? 0;
    for (let at = last + 8; at < bytes.length; at += 7) {
      const spoilt = new Uint8Array(bytes.length + 300);
      spoilt.set(bytes);
      spoilt[at] = (spoilt[at] ?? 0) ^ 0x10;
      expect((await opened(spoilt)).refused, `changed at ${at}`).toMatch(/damaged at byte/);
    }
  });

  it.each([
    ['nothing', new Uint8Array(), 0],
    ['a text', new TextEncoder().encode('bids: 3\n'.repeat(20)), 0],
    ['zeros', new Uint8Array(4_096), 0],
  ])('of %s is none, and is refused', async (_, bytes, offset) => {
    expect((await opened(bytes)).refused).toContain(`The journal ${PATH} is damaged at byte ${offset}: it`);
  });

  it('says where it is damaged, and what to do', async () => {
    const { bytes, durable } = await written('killed');
    const at = durable[1]?.length ?? 0;
    bytes[at + 60] = 0;
    expect((await opened(bytes)).refused).toBe(
      `The journal ${PATH} is damaged at byte ${at}: the checksum of a group is wrong. It was left as it is, and nothing is sent; keep a copy, then go on by "Damage" in docs/journal-format.md.`,
    );
  });
});
