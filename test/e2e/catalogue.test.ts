import { describe, expect, it } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import type { BinaryReply } from '../../src/core/caller.js';
import { startSandbox } from '../../src/sandbox/index.js';
import { rejection } from '../support/clients.js';

/** The client reads what the sandbox's catalogue holds, over real HTTP. */
async function reader(prefix: string) {
  const sandbox = await startSandbox({ clock: 'manual', prefix, rateLimit: false });
  const dealer = new PartnerClient({
    environment: 'sandbox',
    baseUrl: sandbox.baseUrl,
    credentials: sandbox.credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    clock: sandbox.clock,
    logLevel: 'off',
  });
  return {
    sandbox,
    dealer,
    [Symbol.asyncDispose]: async () => {
      await dealer.close();
      await sandbox.close();
    },
  };
}

async function bytesOf({ stream }: BinaryReply): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe.each(['', '/index.php'])('the catalogue behind the prefix "%s"', (prefix) => {
  // rule: catalogue.files
  it('downloads a photo and a document by the URLs that a lot lists, and by their ids', async () => {
    await using world = await reader(prefix);
    const { sandbox, dealer } = world;
    const { id } = sandbox.auctions.get('live-open');
    const [lot] = await dealer.events.lots(id).toArray({ limit: 1 });
    const [photoUrl, documentUrl] = [lot?.images?.[0] ?? '', lot?.documents?.[0] ?? ''];
    const photo = await dealer.media.download(photoUrl);
    expect([photo.contentType, photo.contentDisposition]).toEqual([
      expect.stringMatching(/^image\/(?:png|jpeg)$/),
      'inline',
    ]);
    const picture = await bytesOf(photo);
    expect(picture.subarray(0, 8).toString('latin1')).toMatch(/^(?:\xff\xd8\xff|\x89PNG)/);
    expect(picture).toHaveLength(photo.contentLength ?? 0);

    const report = await dealer.media.download(documentUrl);
    expect(report.contentType).toBe('application/pdf');
    expect(report.contentDisposition).toMatch(/^attachment; filename="[A-Z0-9]+-inspection\.pdf"$/);
    expect((await bytesOf(report)).subarray(0, 8).toString('latin1')).toBe('%PDF-1.4');

    const mediaId = photoUrl.slice(photoUrl.lastIndexOf('/') + 1);
    const again = await dealer.events.media(id, lot?.id ?? '', mediaId);
    expect((await bytesOf(again)).equals(picture)).toBe(true);
  });

  it('a photo that breaks off is an error and no picture', async () => {
    await using world = await reader(prefix);
    const { sandbox, dealer } = world;
    const { id } = sandbox.auctions.get('live-open');
    const [lot] = await dealer.events.lots(id).toArray({ limit: 1 });
    sandbox.inject({ operation: 'events.media', fault: 'truncate' });
    const broken = await dealer.media.download(lot?.images?.[0] ?? '');
    expect(await rejection(bytesOf(broken))).toMatchObject({ name: 'ConnectionError' });
  });

  // rule: access.assignment
  it('reads a vehicle, eligibility and results', async () => {
    await using world = await reader(prefix);
    const { sandbox, dealer } = world;
    const [lot] = sandbox.auctions.get('live-closed').lots;
    const vehicle = await dealer.vehicles.get(lot?.id ?? '');
    expect([vehicle.id, vehicle.status]).toEqual([lot?.id, 'live']);
    expect(Object.keys(vehicle.vehicle_details ?? {})).toHaveLength(10);

    const open = await dealer.eligibility.check({ lot_id: lot?.id ?? '', amount: lot?.startingPrice ?? '' });
    expect([open.eligible, open.diagnostic_only, open.errors]).toEqual([true, true, []]);
    sandbox.auctions.close('live-closed');
    const closed = await dealer.eligibility.check({ lot_id: lot?.id ?? '' });
    expect([closed.eligible, closed.errors]).toEqual([false, ['LOT_NOT_LIVE']]);

    const results = await dealer.results.list().toArray();
    expect(results.map(({ id }) => id)).toContain(lot?.id);
    expect([results.length, new Set(results.map(({ status }) => status))]).toEqual([55, new Set(['over'])]);
    sandbox.partners.update(sandbox.credentials.dealer.clientId, { resultsEntitled: false });
    expect(await rejection(dealer.results.list().toArray())).toMatchObject({
      name: 'PermissionError',
      code: 'AUCTION_ACCESS_DENIED',
    });
  });
});
