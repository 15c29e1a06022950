/** A user's test through msw: a bid whose reply is lost counts once. */
module.exports = async ({ sdk: { PartnerClient, fetchTransport }, sandbox: { startSandbox } }, load) => {
  const { setupServer } = await load('msw/node');
  const sandbox = await startSandbox({ listen: false });
  const server = setupServer(...sandbox.handlers());
  server.listen({ onUnhandledRequest: 'error' });
  const { dealer } = sandbox.credentials;
  const auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: dealer,
    partnerType: 'direct_dealer',
    dealerId: dealer.dealerId,
    transport: fetchTransport(globalThis.fetch),
    logLevel: 'off',
  });
  const [lot] = sandbox.auctions.get('live-open').lots;
  sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
  const receipt = await auction.bids.submit(lot.id, { amount: lot.startingPrice });
  if (!receipt.replayed || sandbox.ledger().length !== 1) throw new Error('the bid was not replayed');
  await auction.close();
  server.close();
  console.log(`accepted once ${receipt.bid_id}`);
};
