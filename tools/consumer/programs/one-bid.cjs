/** Places one bid in a sandbox over HTTP. @returns how it ended */
module.exports = async ({ sdk: { PartnerClient }, sandbox: { startSandbox } }) => {
  const sandbox = await startSandbox();
  const { dealer } = sandbox.credentials;
  const auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: dealer,
    partnerType: 'direct_dealer',
    dealerId: dealer.dealerId,
  });
  const [lot] = await auction.lots.list().toArray({ limit: 1 });
  const { status } = await auction.bids.place({ lot, amount: lot.starting_price });
  await auction.close();
  await sandbox.close();
  return status;
};
