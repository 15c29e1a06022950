import { expect, it } from 'vitest';
import { checkInput, checkReply } from '../../src/api/check.js';
import { routes } from '../../src/generated/routes.js';
import type { SandboxOptions } from '../../src/sandbox/index.js';
import { examples } from '../../tools/generate/openapi-schema.js';
import { bid, lotOf, onManualClock, send } from '../sandbox/caller.js';
import { rows } from '../sandbox/commands.js';
import { type Story, saleAfterIn, storyOf } from '../sandbox/story.js';
import { command, done } from '../sandbox/workflow.js';

const described = routes.filter(({ envelope }) => envelope !== 'binary');
const KEY = '3f0e6d52-9a41-4d0c-8a0e-000000000001';

// `npm run examples` rewrites the file.
it('The examples of openapi.json are what the sandbox is sent and answers', async () => {
  const seen = new Map<string, object>();
  const options: SandboxOptions = {
    listen: false,
    origin: 'https://bank.example',
    variants: { 'webhook-operative': 'on' },
    reply: ({ call, request, status }, json) => {
      if (call !== null && status < 300 && !seen.has(call))
        seen.set(call, shortened({ ...(request !== null && { request }), reply: json }));
      return json;
    },
  };
  const story = await storyOf(await onManualClock(options), { label: 'live-no-grid' });
  await playCommands(story);
  await playReads(story);
  for (const { id, name, effect } of described) {
    const row = rows[id];
    if (effect === 'command' && row !== undefined && !seen.has(name))
      await saleAfterIn(options, ...(row.after ?? []), row.act);
  }
  const lines = described.map(({ name }) => `  ${JSON.stringify(name)}: ${JSON.stringify(seen.get(name))}`);
  await expect(`{\n${lines.join(',\n')}\n}\n`).toMatchFileSnapshot('../../tools/generate/examples.json');
});

/** One item of a list of objects shows what the others look like; keys are the same every time, and a secret is hidden. */
function shortened(example: object): object {
  return JSON.parse(JSON.stringify(example), (field, value) => {
    if (field === 'secret') return 'shown-once';
    if (field === 'idempotency_key') return KEY;
    return Array.isArray(value) && typeof value[0] === 'object' ? value.slice(0, 1) : value;
  });
}

/** Every command: a sale to its end, one that is negotiated and cancelled, and a bid that is cancelled. */
async function playCommands(story: Story): Promise<void> {
  const { sandbox } = story;
  const { dealer } = sandbox.credentials;
  await story.go('approve', 'acknowledge', 'read');
  const evidence_id = await story.evidence();
  await story.do('report', { evidence_id });
  await story.go('import', 'verify', 'allocate', 'release', 'revoke', 'release');
  await story.do('collect', { evidence_id });
  await story.do('transfer', { evidence_id });
  await story.go('import', 'askBack', 'approveRefund', 'createVehicle', 'updateVehicle');
  await story.do('dispute', { evidence_id });
  const negotiated = await story.another({ label: 'live-closed' }, 'offer', 'accept', 'approve');
  await negotiated.go('cancelSale', 'approveCancellation');
  const { id, startingPrice: amount } = lotOf(sandbox, 'live-open', 1);
  const { json } = await bid(sandbox, dealer, id, { amount, idempotency_key: KEY });
  await done(story.sendTo(`bids/${json.data.bid_id}/cancellation-requests`, 'cancelBid'));
  await story.do('approveBidCancellation');
  const subscription = { name: 'Sales', url: 'https://partner.example/webhooks', events: ['sale.approved'] };
  await done(command(sandbox, dealer, '/api/v1/webhook-subscriptions', subscription));
}

/** Every read, of the newest records. */
async function playReads(story: Story): Promise<void> {
  const { sandbox, sold } = story;
  const { bank, dealer } = sandbox.credentials;
  const { id: event, lots } = sandbox.auctions.get('live-open');
  const [{ id: lot, startingPrice: amount } = { id: '', startingPrice: '' }, other] = lots;
  const given: Readonly<Record<string, string>> = {
    event,
    lot,
    vehicle: lot,
    bid: sold.bidId,
    idempotency_key: KEY,
  };
  const inputs: Readonly<Record<string, object>> = {
    'eligibility.check': { query: `amount=${amount}&lot_id=${lot}` },
    'lots.statusBatch': { body: { lot_ids: [lot, other?.id] } },
  };
  const idOf = (param: string) => {
    const kind = param === 'report' ? 'payment_report' : param;
    return given[param] ?? story.newest(kind).id;
  };
  for (const { name, path, actors = ['partner'] } of described.filter(({ effect }) => effect === 'read')) {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => idOf(param));
    const who = actors.includes('partner') ? dealer : bank;
    const { status, text } = await send(sandbox, who, { path: `/api/v1${filled}`, ...inputs[name] });
    expect(status, `${name}: ${text}`).toBe(200);
  }
}

it.each(described.map((route) => [route.name, route] as const))(
  'The example of %s fits its operation',
  (name, { body, reply }) => {
    const { request, reply: answer } = examples[name] ?? {};
    if (reply !== undefined) expect(checkReply(reply, structuredClone(answer)).issues).toEqual([]);
    expect(request === undefined).toBe(body === undefined);
    if (body === undefined) return;
    const { _method, ...sent } = Object(request);
    expect(checkInput(body, sent).issues).toEqual([]);
  },
);
