import { describe, expect, it } from 'vitest';
import { VirtualDisk } from '../../support/virtual-disk.js';
import {
  change,
  errorOf,
  faultOf,
  idOf,
  intentWith,
  journalOn,
  lease,
  make,
  PATH,
  standings,
} from './kit.js';

const codes = [
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'full'],
  ['EIO', 'sync_failed'],
] as const;

describe.each(
  codes.flatMap(([code, fault]) => [
    { code, fault, operation: 'append' as const },
    { code, fault, operation: 'sync' as const },
  ]),
)('$code at $operation', ({ code, fault, operation }) => {
  it(`stops the journal with ${fault}, once and for all, and reads on`, async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    const fence = await make(journal, 'key-1');
    disk.fail(operation, code);
    const under = [
      make(journal, 'key-2'),
      make(journal, 'key-3'),
      change(journal, 'key-1', fence, 'unknown', 1),
    ];
    expect(await Promise.all(under.map(faultOf))).toEqual([fault, fault, fault]);

    // The disk is well again: nothing of it is tried.
    const tried = disk.log.length;
    expect(await faultOf(make(journal, 'key-4'))).toBe(fault);
    expect(await faultOf(make(journal, 'key-1'))).toBe(fault);
    expect(await faultOf(change(journal, 'key-1', fence, 'unknown', 1))).toBe(fault);
    expect(await faultOf(journal.claim(idOf(intentWith('key-1')), lease('two')))).toBe(fault);
    expect(await faultOf(journal.claimOpen('any', lease('two'), 1))).toBe(fault);
    expect(disk.log.slice(tried)).toEqual([]);
    expect(await standings(journal)).toEqual(['key-1 prepared']);
    expect((await journal.find('key-1')).map(({ state }) => state)).toEqual(['prepared']);

    await journal.close();
    expect(disk.log.slice(tried)).toEqual([`close ${PATH}`]);
    expect((await standings(journalOn(disk))).slice(0, 1)[0]).toMatch(/^key-1 (prepared|unknown)/);
  });

  it('says what happened, and what to do', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    await journal.open();
    disk.fail(operation, code);
    const error = await errorOf(make(journal, 'key-1'));
    expect(error).toMatchObject({ fault, outcome: 'not_sent', cause: { code } });
    expect(error?.message).toContain(`(${code})`);
    expect(error?.message).toMatch(/Nothing more is sent; (make room|look after the disk)/);
    // What it says to do helps, with this very journal.
    expect(error?.message).toContain('then close() the journal: its next use opens it anew');
    await journal.close();
    await make(journal, 'key-2');
  });
});

describe('a disk that is full', () => {
  it('leaves half a group behind, which the next opening drops', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    await make(journal, 'key-1');
    disk.room = 100;
    expect(await faultOf(make(journal, 'key-2'))).toBe('full');
    await journal.close();
    disk.room = 100_000;
    const next = journalOn(disk);
    expect(await next.open()).toMatchObject({ intents: 1, droppedBytes: 100 });
    await make(next, 'key-2');
    await next.close();
    expect(await standings(journalOn(disk))).toEqual(['key-1 prepared', 'key-2 prepared']);
  });

  it('lets a journal be read that was not closed, and not be written', async () => {
    const disk = new VirtualDisk();
    await make(journalOn(disk), 'key-1');
    disk.kill();
    disk.room = 0;
    const journal = journalOn(disk);
    expect(await standings(journal)).toEqual(['key-1 prepared']);
    expect(await faultOf(make(journal, 'key-2'))).toBe('full');
    await journal.close();
    expect(disk.paths).toEqual([PATH]);
  });

  it('makes no new journal', async () => {
    const disk = new VirtualDisk();
    disk.room = 10;
    const journal = journalOn(disk);
    expect(await faultOf(journal.open())).toBe('full');
    expect(disk.paths).toEqual([]);
    disk.room = 10_000;
    await make(journal, 'key-1');
    expect(await standings(journal)).toEqual(['key-1 prepared']);
  });
});

describe('a sync that failed', () => {
  it('is not believed by the next opening either: everything is written anew', async () => {
    const disk = new VirtualDisk();
    const journal = journalOn(disk);
    await make(journal, 'key-1');
    disk.fail('sync', 'EIO');
    expect(await faultOf(make(journal, 'key-2'))).toBe('sync_failed');
    await journal.close();
    // The system shows what the disk doesn't have, and no further sync of that file would write it.
    const next = journalOn(disk);
    expect(await standings(next)).toEqual(['key-1 prepared', 'key-2 prepared']);
    disk.crash(() => 0);
    expect(await standings(journalOn(disk))).toEqual(['key-1 prepared', 'key-2 prepared']);
  });

  it.each(['append', 'sync', 'create', 'rename', 'syncDirectory'] as const)(
    'at %s of a new file leaves none, or none that counts',
    async (operation) => {
      const disk = new VirtualDisk();
      disk.fail(operation, 'EIO');
      expect(await faultOf(journalOn(disk).open())).toBe('sync_failed');
      const next = journalOn(disk);
      await make(next, 'key-1');
      disk.crash(() => 0);
      expect(await standings(journalOn(disk))).toEqual(['key-1 prepared']);
    },
  );
});

describe('a disk that can not be read', () => {
  it.each([
    ['open', 'EACCES'],
    ['size', 'EIO'],
    ['read', 'EIO'],
  ] as const)('at %s refuses the opening', async (operation, code) => {
    const disk = new VirtualDisk();
    const first = journalOn(disk);
    await make(first, 'key-1');
    await first.close();
    disk.fail(operation, code);
    const error = await errorOf(journalOn(disk).open());
    expect(error).toMatchObject({ fault: 'unavailable', cause: { code } });
    expect(await standings(journalOn(disk))).toEqual(['key-1 prepared']);
  });
});
