import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions, ScannedFile } from '../../src/sandbox/index.js';
import { get, onManualClock, sha256 } from './caller.js';
import { all, base64, uploadBody } from './funds.js';
import { approvedLot, command, done, type SoldLot } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  sandbox = await onManualClock({ variants });
  sold = await approvedLot(sandbox);
};
beforeEach(() => start());
afterEach(() => sandbox.close());

const upload = async (change: Record<string, unknown> = {}): Promise<string> =>
  (await done(command(sandbox, sold.who, '/api/v1/document-uploads', uploadBody(sold, change)))).id;
const metadata = async (id: string) => (await get(sandbox, sold.who, `/api/v1/documents/${id}`)).json.data;
const state = async (id: string) => (await metadata(id)).state;
const download = (id: string) => get(sandbox, sold.who, `/api/v1/documents/${id}`, 'download=1');

const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

describe('an unclean file', () => {
  beforeEach(() => sandbox.scanner.finds('unclean'));

  // rule: state.document
  it('is rejected once it is scanned, and never given out', async () => {
    const id = await upload();
    sandbox.clock.advance(999);
    const waiting = await metadata(id);
    expect(waiting).toMatchObject({ state: 'awaiting_scan', resource_version: 1 });
    sandbox.clock.advance(1);
    expect(await metadata(id)).toEqual({
      ...waiting,
      state: 'rejected',
      resource_version: 2,
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    expect((await metadata(id)).data.download_url).toBeNull();
    const got = await download(id);
    expect([got.status, got.json]).toEqual([
      409,
      { message: 'The scan found the document unclean; it is given to nobody.' },
    ]);
  });

  it('stays what it is, whatever is found later', async () => {
    const id = await upload();
    sandbox.clock.advance(1_000);
    const before = await all(sandbox, [sold], [`/api/v1/documents/${id}`]);
    sandbox.scanner.finds('clean');
    sandbox.scanner.pause();
    sandbox.scanner.resume();
    sandbox.clock.advance(86_400_000);
    const { seen, ledger } = await all(sandbox, [sold], [`/api/v1/documents/${id}`]);
    expect(ledger).toEqual(before.ledger);
    expect(seen.slice(-1)).toEqual(before.seen.slice(-1));
    expect(await state(id)).toBe('rejected');
  });
});

describe('finds', () => {
  it('judges every scan that ends from then on', async () => {
    const early = await upload();
    sandbox.scanner.finds('unclean');
    sandbox.clock.advance(1_000);
    const late = await upload();
    sandbox.scanner.finds('clean');
    sandbox.clock.advance(1_000);
    expect([await state(early), await state(late)]).toEqual(['rejected', 'ready']);
  });

  it('judges file by file, and sees of a file what there is to see', async () => {
    const seen: ScannedFile[] = [];
    sandbox.scanner.finds((file) => {
      seen.push(file);
      return file.filename.includes('macro') ? 'unclean' : 'clean';
    });
    const bad = await upload({ filename: 'macro.pdf' });
    const good = await upload({ filename: 'slip.pdf', purpose: 'identity', content_base64: base64('abc') });
    sandbox.clock.advance(1_000);
    expect([await state(bad), await state(good)]).toEqual(['rejected', 'ready']);
    expect(seen.map(({ content, ...rest }) => ({ ...rest, digest: sha256(Buffer.from(content)) }))).toEqual([
      expect.objectContaining({ documentId: bad, filename: 'macro.pdf', mime: 'application/pdf' }),
      {
        documentId: good,
        saleId: sold.saleId,
        purpose: 'identity',
        filename: 'slip.pdf',
        mime: 'application/pdf',
        digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      },
    ]);
  });

  // rule: notification.evidence
  it('passes nothing that is not found clean', async () => {
    // @ts-expect-error no such finding
    sandbox.scanner.finds(() => 'perhaps');
    const id = await upload();
    sandbox.clock.advance(1_000);
    expect(await state(id)).toBe('rejected');
    // @ts-expect-error no such finding
    expect(() => sandbox.scanner.finds('perhaps')).toThrow(RangeError);
  });

  it('judges what waited while the scanner was down by what it finds then', async () => {
    sandbox.scanner.pause();
    const id = await upload();
    sandbox.clock.advance(60_000);
    sandbox.scanner.finds('unclean');
    expect(await state(id)).toBe('awaiting_scan');
    sandbox.scanner.resume();
    expect(await state(id)).toBe('rejected');
  });

  it('without a result goes back to the test signature', async () => {
    sandbox.scanner.finds('unclean');
    sandbox.scanner.finds();
    const [plain, infected] = [await upload(), await upload({ content_base64: base64(eicar) })];
    sandbox.clock.advance(1_000);
    expect([await state(plain), await state(infected)]).toEqual(['ready', 'rejected']);
  });
});

it.each([
  ['by itself', eicar, 'rejected'],
  ['inside a file', `%PDF-1.7\n${eicar}\n%%EOF`, 'rejected'],
  ['in part only', eicar.slice(0, -1), 'ready'],
])('the test signature of virus scanners %s', async (_, content, expected) => {
  const id = await upload({ content_base64: base64(content) });
  sandbox.clock.advance(1_000);
  expect(await state(id)).toBe(expected);
});
