import { afterEach, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { get, sha256 } from './caller.js';
import { base64, uploadBody } from './funds.js';
import { approvedLot, command, done, type SoldLot } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
afterEach(() => sandbox.close());
const start = async (variants: NonNullable<SandboxOptions['variants']>) => {
  sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-01T10:00:00Z',
    rateLimit: false,
    variants,
  });
  sold = await approvedLot(sandbox);
};
const upload = (change: Record<string, unknown> = {}) =>
  command(sandbox, sold.who, '/api/v1/document-uploads', uploadBody(sold, change));
const invalid = async (change: Record<string, unknown>) => {
  const { status, json } = await upload(change);
  return [status, json.errors];
};

it('document-digest-encoding: base64, and hex behind a prefix', async () => {
  const abc = { content_base64: 'YWJj' };
  await start({ 'document-digest-encoding': 'base64' });
  expect((await done(upload(abc))).data.digest).toBe('ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=');
  await sandbox.close();
  await start({ 'document-digest-encoding': 'prefixed' });
  expect((await done(upload(abc))).data.digest).toBe(
    'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

it('document-base64-form: any takes the alphabet of URLs, no padding, and lines', async () => {
  await start({ 'document-base64-form': 'any' });
  // The digest of eight bytes, fb ef be fb ef be fb ff, however they are written.
  const digest = sha256(Buffer.from('fbefbefbefbefbff', 'hex'));
  for (const text of ['+++++++++/8=', '---------_8', '----\r\n----\n-_8=', ' ++++----+_8 ']) {
    const { data } = await done(upload({ content_base64: text }));
    expect([text, data.bytes, data.digest]).toEqual([text, 8, digest]);
  }
  for (const text of ['', ' \n', 'Y', 'YWJjY', 'YWJ!', 'data:text/plain;base64,YWJj', '=', 'YQ===', 'Y=Q=']) {
    expect([text, (await upload({ content_base64: text })).status]).toEqual([text, 422]);
  }
});

it('document-upload-bounds: bounded takes PDF, PNG and JPEG, by their bytes, up to 10 MiB', async () => {
  await start({ 'document-upload-bounds': 'bounded' });
  const type = { content_base64: ['The file is a PDF, a PNG or a JPEG.'] };
  const size = { content_base64: ['The file has at most 10485760 bytes.'] };
  const pdf = (bytes: number) => {
    const file = Buffer.alloc(bytes);
    file.write('%PDF-1.7');
    return { content_base64: base64(file) };
  };
  for (const content of [
    Buffer.from('%PDF-1.7'),
    Buffer.from('89504e470d0a1a0a00', 'hex'),
    Buffer.from('ffd8ffe0', 'hex'),
  ]) {
    await done(upload({ content_base64: base64(content), filename: 'a' }));
  }
  expect(await invalid({ content_base64: base64('a,b'), filename: 'a.pdf' })).toEqual([422, type]);
  const before = sandbox.ledger();
  expect(await invalid(pdf(10_485_761))).toEqual([422, size]);
  expect(sandbox.ledger()).toEqual(before);
  await done(upload(pdf(10_485_760)));
});

it('document-purposes: shown takes payment_evidence only', async () => {
  await start({ 'document-purposes': 'shown' });
  expect(await invalid({ purpose: 'identity' })).toEqual([
    422,
    { purpose: ['The purpose is payment_evidence.'] },
  ]);
  expect((await done(upload())).data.purpose).toBe('payment_evidence');
});

const inbox = async () => (await get(sandbox, sold.who, '/api/v1/notifications')).json;
const acknowledge = (id: string, status: string) =>
  command(sandbox, sold.who, `/api/v1/notifications/${id}/acknowledgments`, { status });

it('notification-fields: reference names the record, and the acknowledgment is its status', async () => {
  await start({ 'notification-fields': 'reference' });
  const [message] = (await inbox()).data;
  expect(message).toEqual({
    id: expect.stringMatching(/^ntf_/),
    type: 'sale.approved',
    subject: { kind: 'sale', id: sold.saleId },
    resource_version: 2,
    created_at: '2026-03-01T10:00:00.000Z',
    acknowledgment: null,
  });
  await done(acknowledge(message.id, 'read'));
  expect((await inbox()).data[0].acknowledgment).toBe('read');
});

it('notification-ack-values: any takes a word that nobody knows', async () => {
  await start({ 'notification-ack-values': 'any' });
  const [{ id }] = (await inbox()).data;
  expect(await done(acknowledge(id, 'received'))).toMatchObject({
    state: 'received',
    data: { status: 'received' },
  });
  expect((await acknowledge(id, '')).status).toBe(422);
});

it('notification-duplicates: twice lists every message twice, under one id', async () => {
  await start({ 'notification-duplicates': 'twice' });
  const { data, total } = await inbox();
  const ids = data.map(({ id }: { id: string }) => id);
  expect([ids.length, total, new Set(ids).size]).toEqual([4, 4, 2]);
  expect(data[1]).toEqual(data[0]);
  await done(acknowledge(ids[0], 'read'));
  const read = (await inbox()).data.filter(
    ({ acknowledgment }: { acknowledgment: unknown }) => acknowledgment,
  );
  expect(read.map(({ id }: { id: string }) => id)).toEqual([ids[0], ids[0]]);
});
