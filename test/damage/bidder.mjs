// A process that bids until it is killed: places what it is given, in order, and says so. Every bid has its key from the
// start, so that the next process knows which is which.
import { readFileSync, writeSync } from 'node:fs';
import { fileJournal, PartnerClient } from 'vehicle-auction-sdk';
import { postgresJournal } from 'vehicle-auction-sdk/postgres';

const { baseUrl, credentials, journal, bids, resend, deadline } = JSON.parse(readFileSync(0, 'utf8'));
const { dealerId, ...key } = credentials;

const auction = new PartnerClient({
  baseUrl,
  credentials: key,
  partnerType: 'direct_dealer',
  dealerId,
  journal:
    journal.file === undefined
      ? postgresJournal({ connectionString: journal.url, schema: journal.schema })
      : fileJournal(journal.file),
  quota: { limit: Number.POSITIVE_INFINITY },
  logLevel: 'off',
  randomness: { fraction: () => 0 },
});

say('ready', {});
try {
  for (const outcome of await auction.recover({ resend, deadline })) {
    say('recovered', {});
    tell(outcome);
  }
  for (const bid of bids) {
    // In the order of the list, so that amounts rise: three at a time on lots of their own.
    await Promise.all(bid.map((one) => auction.bidding.place(one, { deadline }).then(tell, failed(one))));
  }
  say('finished', {});
} catch (error) {
  say('halt', { name: error.name, fault: error.fault, message: error.message });
}
await auction.close();

function tell({ idempotencyKey, status, attempts, quarantined, what }) {
  say('told', { key: idempotencyKey, status, attempts, quarantined, what });
}

function failed({ intentId }) {
  return ({ name, fault, message }) => say('failed', { key: intentId, name, fault, message });
}

/** At once and whole, for the next moment may be the last. */
function say(type, facts) {
  writeSync(1, `${JSON.stringify({ type, ...facts })}\n`);
}
