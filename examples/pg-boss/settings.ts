/** From the environment, for every process. The credentials are read by the clients: see docs/getting-started.md. */
const { DATABASE_URL, VEHICLE_AUCTION_DEALER_ID, VEHICLE_AUCTION_ENVIRONMENT, VEHICLE_AUCTION_QUOTA } =
  process.env;

if (DATABASE_URL === undefined) throw new Error('DATABASE_URL must be set in the environment.');

export const connectionString = DATABASE_URL;
export const dealerId = VEHICLE_AUCTION_DEALER_ID ?? '';
export const environment = VEHICLE_AUCTION_ENVIRONMENT === 'production' ? 'production' : 'sandbox';
/** Such as `{"limit":120}`, which is what holds when left out. All workers share it through the store. */
export const quota = JSON.parse(VEHICLE_AUCTION_QUOTA ?? '{}');
