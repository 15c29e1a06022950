import { createRequire } from 'node:module';
import * as esm from 'vehicle-auction-sdk';

/** Both builds in one process: each recognises the errors of the other. */
const cjs = createRequire(import.meta.url)('vehicle-auction-sdk');
const locked = new cjs.StoreError({ reason: 'locked', what: 'It is locked.', nextStep: 'Wait.' });
if (esm.StoreError === cjs.StoreError) throw new Error('the builds are not two');
if (!(locked instanceof esm.StoreError) || locked instanceof esm.ApiError)
  throw new Error('instanceof differs');
if (!esm.isVehicleAuctionError(locked, 'StoreError')) throw new Error('isVehicleAuctionError differs');

const auction = new esm.PartnerClient({
  ...{
    baseUrl: 'https://bank.example/api/v1',
    environment: 'sandbox',
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
  },
  credentials: { clientId: 'c', keyId: 'k', signingSecret: 'a-secret-of-the-consumer-check' },
  store: { ...cjs.memoryStore(), transaction: () => Promise.reject(locked) },
  logLevel: 'off',
});
const failure = await auction.bids.submit('lot_1', { amount: '1' }).catch((error) => error);
if (failure.reason !== 'locked' || failure.outcome !== 'not_sent')
  throw new Error(`it was reported as ${failure}`);
console.log('accepted by both builds');
