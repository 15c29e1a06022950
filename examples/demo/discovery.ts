import { type AuctionEvent, type EventLot, formatInr } from 'vehicle-auction-sdk';
import type { Cast } from './cast.js';
import { given } from './given.js';
import { signedLines } from './wire.js';

export interface Found {
  readonly event: AuctionEvent;
  readonly lot: EventLot;
}

/** Who are we, what is live, which vehicles are in it, and what do they look like? */
export async function discover({ buyer, narrator, seen }: Cast): Promise<Found> {
  const { client: auction, query } = buyer;

  narrator.chapter('Are these credentials any good?', 'await auction.integration.profile()');
  const profile = await auction.integration.profile();
  narrator.say(
    `Yes: ${profile.client_id} is a ${profile.partner_type} in ${profile.environment}, bidding as ${profile.dealer_id}, with ${profile.scopes?.length} scopes.`,
  );
  narrator.aside('Every request is signed. These six lines were, for this one:');
  const labels = ['method', 'path', 'query', 'timestamp', 'nonce', 'SHA-256 of the body'];
  for (const [index, line] of signedLines(given(seen[0])).entries()) {
    narrator.aside(`  │ ${(labels[index] ?? '').padEnd(20)}${line === '' ? '(none)' : line}`);
  }
  narrator.aside('And is this client set up as the bank sees us?  await auction.verify()');
  const findings = await auction.verify();
  narrator.check(
    findings.length > 4 && findings.every(({ level }) => level === 'ok'),
    `auction.verify() finds nothing amiss: ${findings.map(({ what }) => what).join(', ')}`,
  );

  narrator.chapter(
    'What is live right now?',
    'for await (const event of auction.events.list({ status: "live" })) …',
  );
  const events = await auction.events.list({ status: 'live' }).toArray();
  narrator.rows(
    events.map((event) => [
      event.id,
      event.name ?? '',
      event.bid_type ?? '',
      `${event.eligible_lots_count} lots`,
      event.bid_increment === '0.00' ? 'any amount' : `steps of ${formatInr(event.bid_increment)}`,
    ]),
  );
  const event = given(events.find((one) => one.bid_type === 'open' && one.bid_increment !== '0.00'));

  narrator.chapter(
    'Which vehicles are in it?',
    `auction.events.lots("${event.id}", { per_page: 5 }).firstPage()`,
  );
  const page = await auction.events.lots(event.id, { ...query, per_page: 5 }).firstPage();
  narrator.rows(
    page.items.map((lot) => [
      lot.id,
      `${lot.year} ${lot.make} ${lot.model}`,
      lot.registration_number ?? '',
      `opens at ${formatInr(lot.starting_price)}`,
      photos(lot.images?.length ?? 0),
    ]),
  );
  narrator.aside(`${page.total} lots in all. Lists are walked page by page, as far as you read.`);
  const lot = given(page.items.find((one) => one.highest_amount === null && one.images?.length));

  const url = given(lot.images?.[0]);
  narrator.chapter('What does it look like?', 'await auction.media.download(lot.images[0])');
  const photo = await auction.media.download(url);
  const bytes = Buffer.from(await new Response(photo.stream).arrayBuffer());
  narrator.say(`${photo.contentType}, ${bytes.length} bytes, to be served on by our own backend.`);
  narrator.aside('A browser can not sign, so an <img> with this address would show nothing.');
  narrator.check(
    bytes.length === photo.contentLength && bytes.subarray(0, 3).toString('hex') === 'ffd8ff',
    'the photo came whole, and is one',
  );
  return { event, lot };
}

function photos(count: number): string {
  return count === 1 ? '1 photo' : `${count} photos`;
}
