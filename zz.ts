import { createPipeline, RetryBudget } from './src/core/call.js';
import { recordedCaller } from './src/intents/caller.js';
import { Gate } from './src/client/gate.js';
import { pagerOf } from './src/paging/pager.js';
import { events } from './src/routes/events.js';
import { systemClock, createServerClock } from './src/clock/clock.js';
import { digests, createSigner } from './src/signing/signer.js';
const lots = Array.from({ length: 25 }, (_, index) => ({ id: `lot_${index}`, auction_id: 'auc_bench', vehicle_details: { Registration: `MH 12 AB ${1000 + index}`, Fuel: 'Diesel', Odometer: 48_211, 'Bank remarks': 'y'.repeat(300) }, images: Array.from({ length: 6 }, (_, at) => `https://bank.example/api/v1/events/auc_bench/lots/lot_${index}/media/${at}`), documents: [], public_fields: {}, registration_number: 'x', make: 'Mahindra', model: 'Bolero', year: 2021, region: 'West', vehicle_type: 'suv', starting_price: '400000.00', own_amount: null, bidder_status: 'no_bid', channel_status: 'no_bid', provisional: true, highest_amount: '465000.00' }));
const page = Buffer.from(JSON.stringify({ data: lots, current_page: 1, last_page: 1, per_page: 25, total: 25 }));
async function* once(b: Buffer) { yield b; }
const which = process.argv[2];
const route: any = events.lots;
const signer = createSigner({ clientId: 'a', keyId: 'b', signingSecret: 'c0123456' });
const log: any = { error() {}, warn() {}, info() {}, debug() {} };
const pipeline = createPipeline({ transport: { send: async () => ({ status: 200, headers: {}, body: once(page), discard() {} }), close: async () => {} }, keys: { signer, fetch: async () => signer, renew: async () => false, abandon() {} }, quota: { take: () => ({ ended() {} }), permit: async () => ({ ended() {} }), pause() {} }, serverClock: createServerClock(systemClock), retryBudget: new RetryBudget(), headers: {}, maxReplyBytes: 1e8, clock: systemClock, randomness: { uuid: () => 'x', nonce: () => crypto.randomUUID(), fraction: () => 0 }, digests, defaults: { origin: 'https://bank.example', prefix: '', fill: {}, partnerType: 'direct_dealer' }, limits: { timeout: 15000, deadline: 90000, maxAttempts: 3 }, log, secrets: () => [] } as any);
const caller = recordedCaller(pipeline, {} as any, 1000);
const gate = new Gate(async () => {}); const guarded = gate.guard(caller);
const input = { path: { event: 'a' }, query: {} };
async function one() {
  if (which === 'run') return pipeline.run(pipeline.prepare(route, input));
  if (which === 'caller') return caller(route, input);
  if (which === 'gate') return guarded(route, input);
  if (which === 'pager') return pagerOf(guarded, route, input).firstPage();
}
for (let i = 0; i < 8000; i++) await one();
