function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

/** Origin of the deployment. The paths of the generated clients begin with `/api/v1`. */
export const origin = setting('VEHICLE_AUCTION_BASE_URL').replace(/\/api\/v1$/, '');

export const dealerId = setting('VEHICLE_AUCTION_DEALER_ID');

export const credentials = {
  clientId: setting('VEHICLE_AUCTION_CLIENT_ID'),
  keyId: setting('VEHICLE_AUCTION_KEY_ID'),
  signingSecret: setting('VEHICLE_AUCTION_SIGNING_SECRET'),
};
