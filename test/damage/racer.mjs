// A process that does what it is told at once, with a client for each order, and prints what became of it.
import { bankClient, createVehicle, dealerClient, nextOrder, say, storeAt } from './program.mjs';

const { baseUrl, dealer, bank, store: place } = await nextOrder();
const store = storeAt(place);

say('ready');
for (let order = await nextOrder(); order !== undefined; order = await nextOrder()) {
  const client =
    order.kind === 'vehicle'
      ? bankClient({ baseUrl, store, credentials: bank, account: 'bank' })
      : dealerClient({ baseUrl, store, credentials: dealer, account: 'dealer' });
  const reported = await perform(client, order).catch((error) => error);
  await client.close();
  const { status, name, reason, message, id } = reported;
  say('raced', { status, name, reason, message, id });
}

function perform(client, order) {
  if (order.kind === 'vehicle') return createVehicle(client, order);
  const { lot, amount, key } = order;
  return client.bids.place({ lot, amount }, { idempotencyKey: key });
}
