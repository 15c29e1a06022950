import { createRequire } from 'node:module';
import * as esm from 'vehicle-auction-sdk';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';

/** Both builds in one process: each recognises the errors of the other. */
const cjs = createRequire(import.meta.url)('vehicle-auction-sdk');
const locked = new cjs.StoreError({ reason: 'locked', what: 'It is locked.', nextStep: 'Wait.' });
if (esm.StoreError === cjs.StoreError) throw new Error('the builds are not two');
if (!(locked instanceof esm.StoreError) || locked instanceof esm.ApiError)
  throw new Error('instanceof differs');
if (!esm.isVehicleAuctionError(locked, 'StoreError')) throw new Error('isVehicleAuctionError differs');

const sandbox = await startSandbox();
const { dealer } = sandbox.credentials;
const auction = new esm.PartnerClient({
  baseUrl: sandbox.baseUrl,
  environment: 'sandbox',
  credentials: dealer,
  partnerType: 'direct_dealer',
  dealerId: dealer.dealerId,
  store: { ...cjs.memoryStore(), transaction: () => Promise.reject(locked) },
  logLevel: 'off',
});
const failure = await auction.bids.submit('lot_1', { amount: '1' }).catch((error) => error);
if (failure.reason !== 'locked' || failure.outcome !== 'not_sent')
  throw new Error(`it was reported as ${failure}`);
await sandbox.close();
process.stdout.write('accepted by both builds\n', () => process.exit());
