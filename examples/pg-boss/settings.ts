/** Settings from the environment. The clients read the credentials themselves; see docs/getting-started.md. */
const { DATABASE_URL, VEHICLE_AUCTION_DEALER_ID, VEHICLE_AUCTION_ENVIRONMENT, VEHICLE_AUCTION_QUOTA } =
  process.env;

if (!DATABASE_URL) {
  console.error('Set DATABASE_URL in the environment.');
  process.exit(2);
}

export const connectionString = DATABASE_URL;
export const dealerId = VEHICLE_AUCTION_DEALER_ID ?? '';
export const environment = VEHICLE_AUCTION_ENVIRONMENT === 'production' ? 'production' : 'sandbox';
/** Defaults to `{"limit":120}`. All workers share the quota through the store. */
export const quota = JSON.parse(VEHICLE_AUCTION_QUOTA ?? '{}');
