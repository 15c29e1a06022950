import { expect, it, vi } from 'vitest';
import { memoryStore } from '../../src/store/memory.js';
import { type WebhookReport, webhookReceiver } from '../../src/webhooks/index.js';
import { stage } from './stage.js';

it('a delivered approval is verified and handled once, with its amount and version as the text says', async () => {
  const secrets: string[] = [];
  const handled: unknown[] = [];
  const reports: WebhookReport[] = [];
  await using world = await stage('', { webhooks: { send: (request) => receive(request) } });
  const { sandbox, bank, dealer } = world;
  const receiver = webhookReceiver({
    secrets: () => secrets,
    store: memoryStore(),
    clock: sandbox.clock,
    on: {
      'sale.approved': ({ data }) => {
        handled.push([data.sale?.id, data.sale?.amount, data.sale?.winner, data.resource_version]);
      },
    },
    onReport: (report) => reports.push(report),
  });
  async function receive(request: Request): Promise<Response> {
    const body = new Uint8Array(await request.arrayBuffer());
    const { status, body: answer } = await receiver.receive({ body, headers: request.headers });
    return new Response(answer, { status });
  }
  const subscription = { url: 'https://dealer.example/webhooks', events: ['sale.approved'] };
  secrets.push(sandbox.webhooks.subscribe({ who: sandbox.credentials.dealer, ...subscription }).secret);
  await sandbox.webhooks.settled();

  const { id, lots } = sandbox.auctions.get('live-open');
  const [lot] = lots;
  await dealer.bids.submit(lot?.id ?? '', { amount: lot?.startingPrice ?? '' });
  sandbox.auctions.close(id);
  sandbox.actors.bank.approve(lot?.id ?? '');
  await sandbox.webhooks.settled();
  await vi.waitFor(() => expect(handled).toHaveLength(1));
  await receiver.close();
  const [sale] = await bank.saleCases.list().toArray();
  expect(handled).toEqual([[sale?.id, lot?.startingPrice, true, sale?.resource_version]]);
  expect(reports).toEqual([]);
});
