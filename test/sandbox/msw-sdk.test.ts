import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setupServer } from 'msw/node';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import { fileContent } from '../../src/core/request/body.js';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { sha256 } from './caller.js';
import { approvedLot } from './workflow.js';

let sandbox: Sandbox;
let server: ReturnType<typeof setupServer>;
let auction: PartnerClient<'direct_dealer'>;

beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', listen: false });
  server = setupServer(...sandbox.handlers());
  server.listen({ onUnhandledRequest: 'error' });
  auction = new PartnerClient({
    environment: 'sandbox',
    baseUrl: sandbox.baseUrl,
    credentials: sandbox.credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    clock: sandbox.clock,
    // msw sees the global fetch, and not what the undici package sends by itself.
    transport: fetchTransport(globalThis.fetch),
    // Retries wait for no time at all.
    randomness: { uuid: randomUUID, nonce: randomUUID, fraction: () => 0 },
    logLevel: 'off',
  });
});

afterEach(async () => {
  await auction.close();
  server.close();
  await sandbox.close();
});

const live = () => sandbox.auctions.get('live-open');

it('bids', async () => {
  const [lot] = live().lots;
  const receipt = await auction.bids.submit(lot?.id ?? '', { amount: lot?.startingPrice ?? '' });
  expect(receipt).toMatchObject({ status: 'accepted', replayed: false });
  expect(sandbox.ledger()).toMatchObject([{ bidId: receipt.bid_id }]);
});

it('bids once, though the reply is lost', async () => {
  const [lot] = live().lots;
  sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
  const receipt = await auction.bids.submit(lot?.id ?? '', { amount: lot?.startingPrice ?? '' });
  expect(receipt).toMatchObject({ status: 'accepted', replayed: true });
  const attempts = sandbox.attempts().filter(({ operation }) => operation === 'bids.submit');
  expect([sandbox.ledger().length, attempts.length]).toEqual([1, 2]);
});

it('downloads a photo', async () => {
  const [shown] = live().lots;
  const { images } = await auction.events.lot(live().id, shown?.id ?? '');
  const photo = await auction.media.download(images?.[0] ?? '');
  expect(photo.contentType).toMatch(/^image\/(?:png|jpeg)$/);
  const bytes = Buffer.from(await new Response(photo.stream).arrayBuffer());
  expect(bytes.subarray(0, 8).toString('latin1')).toMatch(/^(?:\xff\xd8\xff|\x89PNG)/);
});

it('uploads evidence, from memory and from a file', async () => {
  const { saleId } = await approvedLot(sandbox);
  const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(300_000, 7)]);
  const document = await auction.documents.upload({
    sale_id: saleId,
    purpose: 'payment_evidence',
    filename: 'slip.pdf',
    content_base64: bytes.toString('base64'),
  });
  expect(document).toMatchObject({
    state: 'awaiting_scan',
    data: { bytes: 300_009, digest: sha256(bytes), mime: 'application/pdf' },
  });
  const folder = mkdtempSync(join(tmpdir(), 'slip-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'slip.pdf');
  writeFileSync(path, bytes);
  const streamed = await auction.documents.upload({
    sale_id: saleId,
    purpose: 'payment_evidence',
    filename: 'slip.pdf',
    content_base64: fileContent(path),
  });
  expect(streamed).toMatchObject({ data: { bytes: 300_009, digest: sha256(bytes) } });
});
