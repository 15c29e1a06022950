// A process that follows winner updates and the inbox until it is killed. It prints what it has handled.
import { dealerClient, nextOrder, say, storeAt } from './program.mjs';

const { baseUrl, dealer, store, longestHandlerMs } = await nextOrder();
const client = dealerClient({ baseUrl, credentials: dealer, store: storeAt(store) });

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
  nextOrder().then(() => client.close());
  await following;
} catch ({ name, message }) {
  say('ended', { name, message });
  process.exit(1);
}
