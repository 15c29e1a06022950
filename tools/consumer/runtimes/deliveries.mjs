import { once } from 'node:events';
import { createServer } from 'node:http';
import { memoryStore } from 'vehicle-auction-sdk';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { webhookReceiver } from 'vehicle-auction-sdk/webhooks';

/** A sandbox delivers an approval to a receiver, both in this process, over the network. */

const sandbox = await startSandbox({ webhooks: { allowPrivate: true } });
const secrets = [];
const receiver = webhookReceiver({
  secrets: () => secrets,
  store: memoryStore(),
  on: { 'sale.approved': ({ data }) => console.log('approved at', data.sale.amount) },
});
const server = createServer((request, response) => receiver.node(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;
const who = sandbox.credentials.rival;
secrets.push(sandbox.webhooks.subscribe({ who, url, events: ['sale.approved'] }).secret);
await sandbox.webhooks.settled();
const [lot] = sandbox.auctions.get('live-open').lots;
sandbox.actors.rival.bidNext(lot.id);
sandbox.auctions.close('live-open');
sandbox.actors.bank.approve(lot.id);
await sandbox.webhooks.settled();
await receiver.idle();
await receiver.close();
await sandbox.close();
server.close();
