import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, Server } from 'node:net';
import { BankClient, PartnerClient, type SaleRecord } from 'vehicle-auction-sdk';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { signDelivery } from 'vehicle-auction-sdk/webhooks';

/** What a block of the docs exports. */
type Block = Readonly<Record<string, (...args: never[]) => unknown>>;

const secret = process.env['WEBHOOK_SECRET'] ?? '';

/**
 * Those who use blocks that don't end by themselves, or do nothing until somebody calls. They run in the process of the
 * block, and fail it by an assertion.
 */
const callers: Readonly<Record<string, (block: Block, url: string) => Promise<void>>> = {
  async photo(_, url) {
    // The block names a lot, as it would a lot of its bank's; which photos that has, the service tells.
    const [, event = '', lot = ''] =
      /'(auc_\w+)', '(lot_\w+)'/.exec(await readFile('block.mjs', 'utf8')) ?? [];
    await using auction = new PartnerClient({ environment: 'sandbox', partnerType: 'direct_dealer' });
    const { images } = await auction.events.lot(event, lot);
    const media = images?.[0]?.split('/').at(-1) ?? '';
    const photo = await fetch(`${url}/?media=${media}`);
    assert.equal(photo.status, 200);
    assert.match(photo.headers.get('content-type') ?? '', /^image\/(?:png|jpeg)$/);
    assert.equal(photo.headers.get('cache-control'), 'private, no-store');
    assert((await photo.arrayBuffer()).byteLength > 1_000);
    assert.equal((await fetch(`${url}/?media=0`)).status, 502);
  },

  async deliveries(_, url) {
    const post = ({ body, headers }: Delivery) => fetch(`${url}/webhooks`, { method: 'POST', body, headers });
    const answered = await post(delivery('webhook.endpoint_verification', { challenge: 'c-1' }));
    assert.deepEqual([answered.status, await answered.json()], [200, { challenge: 'c-1' }]);
    for (let time = 0; time < 2; time += 1) assert.equal((await post(approval(1))).status, 200);
    const malformed = await post(delivery('sale.approved', {}));
    assert.equal(malformed.status, 200);
    const { headers } = approval(1);
    assert.equal((await post({ headers, body: approval(2).body })).status, 400);
    assert.equal((await post({ headers, body: ' '.repeat(1_048_577) })).status, 413);
  },

  async request({ POST }) {
    const handler = POST as (request: Request) => Promise<Response>;
    const requestWith = ({ body, headers }: Delivery) =>
      new Request('https://dealer.example/webhooks', { method: 'POST', body, headers });
    assert.equal((await handler(requestWith(approval(1)))).status, 200);
    assert.equal((await handler(requestWith({ ...approval(1), body: '{}' }))).status, 400);
  },

  async page({ GET }) {
    const handler = GET as () => Promise<Response>;
    const lots: unknown = await (await handler()).json();
    assert(Array.isArray(lots) && lots.length === 20);
    assert.deepEqual(Object.keys(lots[0]), ['id', 'title']);
  },

  async lambda({ handler }) {
    const invoke = handler as (event: object) => Promise<{ status: string }>;
    const event = { lot: 'lot_6a66744122c5', amount: '102500', clickId: crypto.randomUUID() };
    // A queue that delivers twice gets one bid.
    for (let time = 0; time < 2; time += 1) assert.equal((await invoke(event)).status, 'accepted');
    process.exit(); // it is frozen, not closed
  },

  async worker({ default: given }) {
    const worker = given as unknown as { fetch(request: Request, env: object): Promise<Response> };
    const env = Object.entries(process.env).map(([name, value]) => [
      name.replace('VEHICLE_AUCTION_', ''),
      value,
    ]);
    const reply = await worker.fetch(new Request('https://worker.example/'), Object.fromEntries(env));
    assert.equal(((await reply.json()) as { status?: string }).status, 'accepted');
  },

  async handler({ default: given }) {
    const handler = given as unknown as { fetch(request: Request): Promise<Response> };
    const deliver = async (init: Delivery): Promise<unknown> => {
      const request = new Request('https://dealer.example/', { method: 'POST', ...init });
      return (await handler.fetch(request)).json();
    };
    assert.deepEqual(await deliver(approval(1)), { type: 'sale.approved', id: 'evt_sale.approved_1' });
    assert.deepEqual(await deliver({ ...approval(1), body: '{}' }), { refused: 'signature_mismatch' });
  },

  async pending({ isPending }) {
    const judge = isPending as (sale: SaleRecord) => boolean;
    const sandbox = await startSandbox();
    const bank = new BankClient({
      baseUrl: sandbox.baseUrl,
      environment: 'sandbox',
      credentials: sandbox.credentials.bank,
    });
    const { id, lots } = sandbox.auctions.get('live-open');
    for (const lot of lots.slice(0, 2)) sandbox.actors.rival.bid(lot.id, lot.startingPrice);
    sandbox.auctions.close(id);
    const [one, other] = await bank.saleCases.list().toArray();
    assert(one?.data?.bid_id && other);
    await bank.saleCases.decide(one, {
      decision: 'approved',
      bid_id: one.data.bid_id,
      terms_version: 'T3',
      due_at: new Date(Date.now() + 86_400_000).toISOString(),
      payee_instructions: 'NEFT to account 0042',
    });
    assert.equal(judge(await bank.saleCases.get(one.id)), false);
    assert.equal(judge(await bank.saleCases.get(other.id)), true);
    await bank.close();
    await sandbox.close();
  },
};

interface Delivery {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

function approval(version: number): Delivery {
  const sale = { id: 'sal_1', state: 'approved', amount: '465000.00', bidder_reference: 'buyer-9' };
  return delivery('sale.approved', {
    resource_id: 'sal_1',
    resource_version: version,
    lot_id: 'lot_1',
    sale,
  });
}

function delivery(type: string, data: object): Delivery {
  const created_at = new Date().toISOString();
  const { body, headers } = signDelivery({
    secret,
    body: { id: `evt_${type}_1`, type, schema_version: 1, created_at, data },
  });
  return { body: new Uint8Array(body), headers };
}

/** Begins a block, which may listen on a port that is taken here, lets its caller use it, and ends its server. */
export async function call(name: string, begin: () => Promise<Block>): Promise<void> {
  const caller = callers[name];
  assert(caller, `no caller is called ${name}`);
  let server: Server | undefined;
  const { listen } = Server.prototype;
  Server.prototype.listen = function (this: Server) {
    Server.prototype.listen = listen;
    server = this;
    return this.listen(0, '127.0.0.1');
  };
  const block = await begin();
  Server.prototype.listen = listen;
  if (server?.listening === false) await once(server, 'listening');
  const port = (server?.address() as AddressInfo | undefined)?.port;
  await caller(block, `http://127.0.0.1:${port}`);
  if (server !== undefined) {
    server.close();
    (server as Server & { closeAllConnections?(): void }).closeAllConnections?.();
  }
}
