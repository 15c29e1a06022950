import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { changedByte } from '../../../src/intents/file/one-byte.js';
import { VirtualDisk } from '../../support/virtual-disk.js';
import {
  attempt,
  change,
  errorOf,
  idOf,
  intentWith,
  journalOn,
  make,
  PATH,
  START,
  standings,
} from './kit.js';
import { version1Of } from './version-1.js';

/** A file taken apart by nothing but what docs/journal-format.md says. */
function takenApart(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u32 = (at: number) => view.getUint32(at, true);
  const sum = (from: number, to: number) => crc32(bytes.subarray(from, to));
  expect([...bytes.subarray(0, 8)]).toEqual([0x8b, 0x56, 0x41, 0x4a, 13, 10, 26, 10]);
  expect([u32(8), u32(12), u32(28)]).toEqual([2, sum(0, 12), sum(0, 28)]);
  const groups: { type: string; [member: string]: unknown }[][] = [];
  for (let at = 32; at < bytes.length; ) {
    const length = u32(at + 4);
    const tail = at + length - 8;
    expect([...bytes.subarray(at, at + 4)]).toEqual([0xff, 0x47, 0x52, 0xfe]);
    expect([length % 8, u32(at + 8), u32(at + 16), u32(at + 20)]).toEqual([0, groups.length + 1, u32(28), 0]);
    expect([u32(tail), ...bytes.subarray(tail + 4, tail + 8)]).toEqual([
      sum(at, tail),
      0xfd,
      0x45,
      0x4e,
      0xfc,
    ]);
    const records = [];
    let next = at + 24;
    for (let count = u32(at + 12); count > 0; count -= 1) {
      const end = next + 8 + u32(next);
      expect(u32(next + 4)).toBe(sum(next + 8, end));
      records.push(JSON.parse(new TextDecoder().decode(bytes.subarray(next + 8, end))));
      next = end;
    }
    expect([...bytes.subarray(next, tail)]).toEqual(new Array(tail - next).fill(0));
    expect(tail - next).toBeLessThan(8);
    groups.push(records);
    at += length;
  }
  return { generation: u32(16), begunAt: Number(view.getBigUint64(20, true)), groups };
}

function bytesOf(disk: VirtualDisk): Uint8Array {
  return disk.bytes(PATH) ?? new Uint8Array();
}

describe('a file', () => {
  it('is as the docs describe it, to the byte', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    const fence = await make(journal, 'key-1');
    await Promise.all([change(journal, 'key-1', fence, 'unknown', 1), make(journal, 'key-2', 'done')]);
    await journal.close();
    const { groups, ...header } = takenApart(bytesOf(disk));
    expect(header).toEqual({ generation: 1, begunAt: START });
    const intent = (key: string) => intentWith(key, { lot: `lot of ${key}`, text: 'x'.repeat(40) });
    expect(groups).toEqual([
      [{ type: 'opened', opening: 1, at: START, pid: 42 }],
      [{ type: 'made', intent: intent('key-1'), entries: [], state: 'prepared' }],
      [
        { type: 'changed', ...idOf(intent('key-1')), entries: [attempt(1)], state: 'unknown' },
        { type: 'made', intent: intent('key-2'), entries: [], state: 'done' },
      ],
      [{ type: 'closed', at: START }],
    ]);
  });

  it('says who opened it next in front of what he wrote first', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    await make(journal, 'key-1');
    await journal.close();
    await make(journalOn(disk, { pid: 43 }), 'key-2');
    const { generation, groups } = takenApart(bytesOf(disk));
    expect(generation).toBe(1);
    expect(groups.map((group) => group.map(({ type }) => type).join())).toEqual([
      'opened',
      'made',
      'closed',
      'opened,made',
    ]);
    expect(groups[3]?.[0]).toEqual({ type: 'opened', opening: 2, at: START, pid: 43 });
  });

  it('that was not closed is written anew, with one record for each intent', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    const fence = await make(journal, 'key-1');
    await change(journal, 'key-1', fence, 'unknown', 1);
    await make(journal, 'key-2', 'done');
    disk.kill();
    await journalOn(disk).open();
    const { generation, groups } = takenApart(bytesOf(disk));
    expect(generation).toBe(2);
    const { body, ...intent } = intentWith('key-2', { lot: 'lot of key-2', text: 'x'.repeat(40) });
    expect(groups).toMatchObject([
      [
        { type: 'opened', opening: 2 },
        { type: 'made', intent: { key: 'key-1' }, entries: [attempt(1)], state: 'unknown' },
        { type: 'made', intent: { ...intent, body: { sha256: body.sha256 } }, state: 'done' },
      ],
    ]);
    expect(JSON.stringify(groups[0]?.[2])).not.toContain('"text"');
  });

  it('is made in groups of a size that keeps nobody waiting, however much there is', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    for (let number = 0; number < 30; number += 1) await make(journal, `key-${number}`, 'unknown', 40_000);
    disk.kill();
    disk.log.length = 0;
    const next = journalOn(disk);
    expect(await standings(next)).toHaveLength(30);
    const sizes = disk.log.flatMap((line) => Number(/^append \S+ (\d+)/.exec(line)?.[1] ?? []));
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThan(320_000);
    expect(takenApart(bytesOf(disk)).groups.flat()).toHaveLength(31);
  });

  it('holds any text, in itself and as a name', async () => {
    const disk = new VirtualDisk();
    const key = 'k\u0000\ud800 "₹\u2028 {"type":"closed"}';
    await make(journalOn(disk), key, 'unknown');
    disk.kill();
    expect(await standings(journalOn(disk))).toEqual([`${key} unknown`]);
  });
});

describe('a file of version 1', () => {
  it('is read, and is of version 2 from then on', async () => {
    const disk = new VirtualDisk();
    const { bytes, durable } = version1Of(['key-1', 'key-2']);
    disk.put(PATH, bytes);
    const journal = journalOn(disk);
    expect(await journal.open()).toEqual({ path: PATH, intents: 2, droppedBytes: 0, formatVersion: 1 });
    expect(await standings(journal)).toEqual(durable.at(-1)?.standings);
    const [stored] = await journal.find('key-2');
    expect(stored?.intent.body.text).toBe('ein Gebot: 465000.00 ₹');
    await journal.close();
    expect(takenApart(bytesOf(disk))).toMatchObject({ generation: 1, begunAt: START });
    expect(await journalOn(disk).open()).toMatchObject({ intents: 2, formatVersion: 2 });
  });

  it('is there, or its successor is, whenever the power fails', async () => {
    const { bytes, durable } = version1Of(['key-1', 'key-2']);
    for (let at = 1; at < 30; at += 1) {
      for (const kept of [0, 1]) {
        const disk = new VirtualDisk();
        disk.put(PATH, bytes);
        let operations = 0;
        const isDown = new Promise<void>((resolve) => {
          disk.before = () => {
            operations += 1;
            if (operations !== at) return;
            disk.crash((below) => Math.min(kept, below - 1));
            resolve();
          };
        });
        await Promise.race([isDown, journalOn(disk.process()).open()]);
        disk.before = undefined;
        expect(await standings(journalOn(disk))).toEqual(durable.at(-1)?.standings);
      }
    }
  });
});

describe('a file of a version that is not known', () => {
  it.each([0, 3, 4_000_000_000])('%s is refused, and left as it is', async (version) => {
    const bytes = Buffer.alloc(200);
    bytes.set([0x8b, 0x56, 0x41, 0x4a, 13, 10, 26, 10]);
    bytes.writeUInt32LE(version, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
    const disk = new VirtualDisk();
    disk.put(PATH, bytes);
    const error = await errorOf(journalOn(disk).open());
    expect(error).toMatchObject({ fault: 'unknown_format' });
    expect(error?.message).toContain(`has format version ${version}, and this package knows none above 2`);
    expect(disk.count('append')).toBe(0);
    expect(disk.paths).toEqual([PATH]);
  });
});

describe('the byte that was changed', () => {
  it('is found wherever it is, whatever it was', () => {
    const bytes = Uint8Array.from({ length: 70 }, (_, at) => (at * 53) % 256);
    const checksum = crc32(bytes);
    for (let at = 0; at < bytes.length; at += 1) {
      for (let flipped = 1; flipped < 256; flipped += 1) {
        const spoilt = bytes.slice();
        spoilt[at] = (spoilt[at] ?? 0) ^ flipped;
        const found = changedByte(spoilt, checksum);
        if (found?.at !== at || found.flipped !== flipped) throw new Error(`not found: ${at}, ${flipped}`);
      }
    }
  });

  it('is none where nothing was changed, or a whole sector was', () => {
    const bytes = Uint8Array.from({ length: 2_048 }, (_, at) => (at * 53) % 255);
    const checksum = crc32(bytes);
    expect(changedByte(bytes, checksum)).toBeUndefined();
    expect(changedByte(bytes.slice().fill(0, 512, 1_024), checksum)).toBeUndefined();
  });
});
