import { type EventLot, NotFoundError, type SaleRecord } from 'vehicle-auction-sdk';
import type { Cast } from './cast.js';
import { given } from './given.js';
import { whenReady } from './payment.js';

/** The bank releases the vehicle and confirms that it was collected; the buyer reads it all in its inbox. */
export async function handOver(cast: Cast, lot: EventLot, sale: SaleRecord): Promise<void> {
  const { sandbox, narrator, buyer, bank } = cast;
  const { client: auction } = buyer;

  narrator.chapter('The bank releases the vehicle', 'await bank.saleCases.authorizeRelease(sale, { … })');
  const inTwoDays = new Date(sandbox.clock.now() + 2 * 86_400_000).toISOString();
  const release = await bank.saleCases.authorizeRelease(await bank.saleCases.get(sale.id), {
    recipient: 'R. Iyer, with the authority letter',
    yard: 'National Stockyard, Pune',
    expires_at: inTwoDays,
    collection_date: inTwoDays.slice(0, 10),
  });
  narrator.say(
    `Release ${release.id} is ${release.state} until ${release.data?.expires_at}, for one collection.`,
  );
  const seen = await auction.releases.get(release.id);
  narrator.check(seen.state === 'valid', 'the buyer reads it too, and comes for the vehicle');

  narrator.chapter('The vehicle is collected', 'await bank.releases.collect(release, { … })');
  const signature = await bank.documents.upload({
    sale_id: sale.id,
    purpose: 'collection_evidence',
    filename: 'handover.txt',
    content_base64: Buffer.from('Received in good order. R. Iyer').toString('base64'),
  });
  await whenReady(bank.documents, signature);
  const collected = await bank.releases.collect(release, {
    collector: 'R. Iyer',
    vehicle_identity: given(lot.registration_number),
    evidence_id: signature.id,
  });
  narrator.check(
    collected.state === 'used',
    `collected: the release is ${collected.state}, and can't be used again`,
  );
  const status = await auction.lots.status(lot.id);
  narrator.say(`And the lot stands at ${status.inventory_state}.`);

  narrator.chapter(
    'The buyer reads it all in its inbox',
    'for await (const message of auction.notifications.list()) …',
  );
  const inbox = (await auction.notifications.list().toArray()).reverse();
  narrator.rows(inbox.map(({ type = '', subject }) => [type, String(subject)]));
  const story = [
    'sale.approved',
    'sale.acknowledged',
    'payment.reported',
    'payment.verified',
    'payment.allocated',
    'release.authorized',
    'vehicle.collected',
  ];
  const told = inbox.map(({ type }) => type).filter((type) => story.includes(given(type)));
  narrator.check(told.join() === story.join(), 'every step of the sale, once and in order');
  const last = given(inbox.at(-1));
  await auction.notifications.acknowledge(last.id, { status: 'read' });
  const read = await auction.notifications.list().firstPage();
  narrator.check(
    read.items.find(({ id }) => id === last.id)?.acknowledgment != null,
    'the last one is marked as read',
  );

  narrator.chapter('And nobody else knows', 'the rival asks for our sale');
  const status404 = await cast.stranger.saleCases.get(sale.id).catch((error: unknown) => error);
  narrator.check(status404 instanceof NotFoundError, 'to another dealer, this sale does not exist');
}
