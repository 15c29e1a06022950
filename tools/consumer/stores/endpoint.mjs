import { createServer } from 'node:http';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { webhookReceiver } from 'vehicle-auction-sdk/webhooks';
import { on, secrets } from './handlers.mjs';

const receiver = webhookReceiver({ secrets, store: sqliteStore(process.env.AUCTION_STORE), on });
createServer((request, response) => receiver.node(request, response)).listen(process.env.PORT, '127.0.0.1');
