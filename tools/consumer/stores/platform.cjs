const { createServer } = require('node:http');

/** All that a dealer platform writes itself: live lots with every buyer's standing, wins, the inbox, photos. At most 50 lines. */
exports.startPlatform = async ({ PartnerClient, readWinnerUpdate }, options, buyers, tell) => {
  const auction = new PartnerClient({ ...options, partnerType: 'platform' });
  await auction.recover();
  const lots = await auction.lots.list().toArray({ limit: 30 });
  const photos = new Map(lots.map(({ id, images = [] }) => [id, images]));

  const watch = auction.lots.watch(lots);
  const watching = (async () => {
    for await (const change of watch) {
      if (change.type === 'outage' || change.type === 'resumed') tell(change.type, change);
      if (change.type !== 'snapshot' && change.type !== 'changed') continue;
      for (const standing of await auction.bids.standings([change.after], { buyers }))
        tell('standing', standing);
    }
  })();
  const winning = auction.winnerUpdates.follow({
    name: 'wins',
    handle: (update) => tell('win', readWinnerUpdate(update).data),
  });
  const reading = auction.notifications.follow({
    name: 'inbox',
    handle: (message) => tell('message', message),
  });

  const server = createServer((request, response) => {
    const [, lot, number] = request.url.split('/');
    const url = photos.get(lot)?.[number];
    if (url === undefined) response.writeHead(404).end();
    else auction.media.serve(url, response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: server.address().port,
    async bid(lot, amount, bidderReference, idempotencyKey) {
      const outcome = await auction.bids.place({ lot, amount, bidderReference }, { idempotencyKey });
      watch.notify(lot);
      return outcome;
    },
    async close() {
      server.close();
      await auction.close();
      await Promise.all([watching, winning, reading]);
    },
  };
};
