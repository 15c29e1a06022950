const { randomUUID } = require('node:crypto');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { startPlatform } = require('./platform.cjs');

const MOST_LINES = 50;

/** Runs the platform against the sandbox, from the first look to a win. */
exports.live = async ({ sdk, sandbox: { startSandbox }, sqlite }) => {
  const lines = readFileSync(join(__dirname, 'platform.cjs'), 'utf8').trimEnd().split('\n').length;
  if (lines > MOST_LINES) throw new Error(`platform.cjs has ${lines} lines`);
  const auctions = [
    { label: 'live', name: 'Live', bid_type: 'open', increment: '5000', opens: -5, closes: 60, lots: 30 },
  ];
  const sandbox = await startSandbox({ seed: { auctions } });
  const folder = mkdtempSync(join(tmpdir(), 'consumer-platform-'));
  const told = new Told();
  const buyers = Array.from({ length: 40 }, (_, n) => `buyer-${n + 1}`);
  const options = {
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: sandbox.credentials.platform,
    dealerId: sandbox.credentials.platform.dealerId,
    store: sqlite.sqliteStore(join(folder, 'auction.db')),
  };
  const platform = await startPlatform(sdk, options, buyers, (type, item) => told.add(type, item));
  try {
    const [lot] = sandbox.auctions.get('live').lots;
    await platform.bid(lot.id, lot.startingPrice, 'buyer-7', randomUUID());
    const leads = ({ lot: id, standing }) => id === lot.id && standing === 'leading';
    const leading = await told.until('standing', leads);
    if (leading.bidderReference !== 'buyer-7' || !leading.derived) throw new Error('another buyer leads');
    const pictured = sandbox.auctions.get('live').lots.find(({ media }) => media.length > 0);
    const photo = await fetch(`http://127.0.0.1:${platform.port}/${pictured.id}/0`);
    if (photo.status !== 200 || (await photo.arrayBuffer()).byteLength === 0) throw new Error('no photo');
    sandbox.auctions.close('live');
    sandbox.actors.bank.approve(lot.id);
    await told.until(
      'win',
      ({ lotId, bidderReference }) => lotId === lot.id && bidderReference === 'buyer-7',
    );
    await told.until('message', ({ type }) => type === 'sale.approved');
  } finally {
    await platform.close();
    await sandbox.close();
    rmSync(folder, { recursive: true });
  }
  console.log(`live in ${lines} lines`);
};

class Told {
  #items = [];
  #waiting = new Set();

  add(type, item) {
    this.#items.push([type, item]);
    for (const look of this.#waiting) look();
  }

  until(type, holds) {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.#items.find(([of, item]) => of === type && holds(item));
        if (found !== undefined) resolve(found[1]);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
