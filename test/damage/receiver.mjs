// A webhook endpoint that receives until it is killed. It prints what it does.
import { createServer } from 'node:http';
import { webhookReceiver } from 'vehicle-auction-sdk/webhooks';
import { nextOrder, say, storeAt } from './program.mjs';

const { place, secret } = await nextOrder();
const store = storeAt(place);

const receiver = webhookReceiver({
  secrets: secret,
  store,
  on: {
    '*': async ({ id }, { commit }) => {
      const before = await store.transaction('judge', ({ query }) =>
        query('SELECT event FROM effects WHERE event = $1', [id]),
      );
      say(before.length === 0 ? 'begun' : 'begun after its commit', { id });
      await commit((query) => query('INSERT INTO effects (event) VALUES ($1)', [id]));
      say('committed', { id });
    },
  },
  onReport: ({ kind, error }) => say(`${kind}: ${error}`),
});

const server = createServer(async (request, response) => {
  if (request.method === 'POST') return receiver.node(request, response);
  // Whoever asks wants to know when nothing is left to do.
  let left;
  do {
    await receiver.idle();
    left = await receiver.list({ state: 'pending', limit: 1 });
  } while (left.length > 0);
  response.end();
});
server.listen(0, '127.0.0.1', () => say('ready', { port: server.address().port }));
