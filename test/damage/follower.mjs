// A process that follows winner updates and the inbox until it is killed. It prints what it has handled, at once.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PartnerClient } from 'vehicle-auction-sdk';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { baseUrl, dealer, store, longestHandlerMs } = JSON.parse((await lines.next()).value);
const { dealerId, ...credentials } = dealer;

const client = new PartnerClient({
  baseUrl,
  environment: 'sandbox',
  credentials,
  partnerType: 'direct_dealer',
  dealerId,
  store: store.file === undefined ? postgresStore({ connectionString: store.url }) : sqliteStore(store.file),
  quota: { limit: Number.POSITIVE_INFINITY },
  logLevel: 'off',
});

const handle = (kind, idOf) => async (item) => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * longestHandlerMs));
  say('handled', { task: kind, id: idOf(item) });
};

say('ready');
try {
  const following = Promise.all([
    client.winnerUpdates.follow({ name: 'wins', limit: 7, handle: handle('win', JSON.stringify) }),
    client.notifications.follow({ name: 'inbox', handle: handle('message', ({ id }) => id) }),
  ]);
  // Until the pipe ends.
  lines.next().then(() => client.close());
  await following;
} catch ({ name, message }) {
  say('ended', { name, message });
  process.exit(1);
}

function say(type, facts) {
  writeSync(1, `${JSON.stringify({ type, ...facts })}\n`);
}
