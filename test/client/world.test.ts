import { describe, expect, it } from 'vitest';
import type { PartnerClientOptions } from '../../src/client/options.js';
import { acceptance, iso, LOT, lotStatus, NOW, refusal } from '../support/bid-replies.js';
import { Scene, Wire } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { BID, count, KEYED } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** Before its first write, a client asks the service whether it is the one that it is set up for. */

const PROFILE = 'GET /integration/profile';
const DEALER = {
  client_id: 'cl_7f3a',
  environment: 'sandbox',
  actor_type: 'partner',
  partner_type: 'direct_dealer',
  dealer_id: 'D-204',
};
const profile = (over: object = {}, headers?: Record<string, string>, at = NOW): Step => ({
  status: 200,
  json: { data: { ...DEALER, ...over }, server_time: iso(at) },
  ...(headers && { headers }),
});
const PRODUCTION = profile({ environment: 'production' });
const LATER = NOW + 70_000;
const accepted = (n: number) => acceptance({ bid_id: `b${n}`, request_id: `r${n}` });
const wrong = (option: string, says: string) => ({
  name: 'ConfigurationError',
  option,
  outcome: 'not_sent',
  message: expect.stringContaining(`the service says ${says}`),
});

function dealer(
  steps: readonly Step[],
  options: Partial<PartnerClientOptions<'direct_dealer'>> = {},
  scene = new Scene(),
) {
  const transport = new Wire(scene.events, steps);
  const warnings: string[] = [];
  const none = () => undefined;
  const logger = { error: none, warn: (line: string) => void warnings.push(line), info: none, debug: none };
  const { client } = scene.dealer([], { transport, logger, logLevel: 'warn', ...options });
  const place = (lot = LOT) => scene.during(client.bids.place({ ...BID, lot }));
  return { scene, client, transport, warnings, place };
}

function bank(steps: readonly Step[]) {
  const scene = new Scene();
  const transport = new Wire(scene.events, steps);
  return { scene, transport, client: scene.bank([], { transport }).client };
}

describe('a setting that the service contradicts', () => {
  it.each<[over: object, option: string, says: string, options?: object]>([
    [{ environment: 'production' }, 'environment', 'production'],
    [{ environment: 'Sandbox' }, 'environment', 'Sandbox', { environment: 'production' }],
    [
      { actor_type: 'bank', partner_type: null, dealer_id: null },
      'client',
      'that these credentials act for a bank',
    ],
    [{ partner_type: 'platform' }, 'partnerType', 'platform'],
    [{ dealer_id: 'D-999' }, 'dealerId', 'D-999'],
    [{ client_id: 'cl_other' }, 'credentials.clientId', 'cl_other'],
  ])('%o: nothing is recorded or sent', async (over, option, says, options) => {
    const { scene, client, transport, place } = dealer([profile(over), profile(over)], options);
    expect(await rejection(place())).toMatchObject(wrong(option, says));
    const body = { status: 'read', external_reference: 'x' } as const;
    const command = client.notifications.acknowledge('n_1', body);
    expect(await rejection(scene.during(command))).toMatchObject(wrong(option, says));
    expect(transport.lines).toEqual([PROFILE]);
    expect(await client.intents.list({ which: 'all' }).toArray()).toEqual([]);
  });

  it('stops batches, uploads, runOnce and derived clients', async () => {
    const { scene, client, transport } = dealer([PRODUCTION]);
    const content = new TextEncoder().encode('%PDF-1.7');
    const slip = { sale_id: 'sal_1', purpose: 'payment_evidence', filename: 'slip.pdf', content };
    const writes: readonly (() => Promise<unknown>)[] = [
      async () => {
        const { stopped } = await client.bids.placeAll([{ rowId: '1', ...BID }], { batchId: 'b' }).summary;
        throw stopped?.error;
      },
      () => client.bids.submit(LOT, { amount: '450000' }),
      () => client.documents.upload(slip),
      () => client.runOnce(['once'], () => Promise.reject(new Error('the function must not run'))),
      () => client.withOptions({ deadline: 5_000 }).bids.place(BID),
    ];
    for (const write of writes) {
      expect(await rejection(scene.during(write()))).toMatchObject(wrong('environment', 'production'));
    }
    expect(transport.lines).toEqual([PROFILE]);
  });

  it('stops a bank that has the credentials of a dealer', async () => {
    const { scene, transport, client } = bank([profile(), profile()]);
    const error = wrong('client', 'that these credentials act for a partner');
    const command = client.request({ method: 'POST', path: '/something', body: {} });
    expect(await rejection(scene.during(command))).toMatchObject(error);
    const once = client.runOnce(['once'], () => Promise.reject(new Error('the function must not run')));
    expect(await rejection(scene.during(once))).toMatchObject(error);
    expect(transport.lines).toEqual([PROFILE]);
  });

  it('is asked for again later, once it may be right', async () => {
    const { scene, transport, place } = dealer([PRODUCTION, profile({}, {}, LATER), accepted(1)]);
    await rejection(place());
    await scene.clock.advance(60_000);
    expect(await place()).toMatchObject({ status: 'accepted' });
    expect(count(transport.lines, PROFILE)).toBe(2);
  });

  it('is a problem in verify, which counts as the question', async () => {
    const { scene, client, transport, place } = dealer([profile({ environment: 'production' })]);
    const findings = await scene.during(client.verify());
    expect(findings.filter(({ what }) => what === 'environment')).toMatchObject([{ level: 'problem' }]);
    expect(await rejection(place())).toMatchObject(wrong('environment', 'production'));
    expect(transport.lines).toEqual([PROFILE]);
  });
});

describe('what contradicts nothing', () => {
  it.each([
    [{ environment: 'uat', actor_type: 'auditor', partner_type: 'broker', dealer_id: null }],
    [{ environment: undefined, actor_type: undefined, partner_type: undefined, dealer_id: undefined }],
    [{ environment: 'SANDBOX', actor_type: 'Partner', partner_type: 'DIRECT_DEALER', dealer_id: 'd-204' }],
  ])('%o', async (over) => {
    const { transport, warnings, place } = dealer([profile(over), accepted(1), accepted(2)]);
    expect([(await place()).status, (await place('lot_2')).status]).toEqual(['accepted', 'accepted']);
    expect([count(transport.lines, PROFILE), warnings]).toEqual([1, []]);
  });

  it('a client that only reads does not ask', async () => {
    const { scene, client, transport } = dealer([lotStatus(null)]);
    await scene.during(client.lots.status(LOT));
    expect(await scene.during(client.recover())).toEqual([]);
    expect(transport.lines).toEqual([`GET /lots/${LOT}/status`]);
  });
});

describe('a profile that does not come', () => {
  it.each<[why: string, step: Step]>([
    ['its scope is missing', refusal(403, 'SCOPE_DENIED')],
    ['the service fails', refusal(500, 'SERVER_ERROR')],
    ['the connection breaks', { fail: 'maybe' }],
    ['nothing answers', { hang: true }],
    ['a cache answers', profile({ environment: 'production' }, { age: '10' })],
  ])('because %s: a warning, and it is asked for again a minute later', async (_, step) => {
    const scene = new Scene();
    const told = lotStatus(null);
    const later = profile({ environment: 'production' }, {}, LATER);
    const steps = [told, step, accepted(1), accepted(2), later];
    const { client, transport, warnings, place } = dealer(steps, {}, scene);
    await scene.during(client.lots.status(LOT));
    expect(await place()).toMatchObject({ status: 'accepted' });
    expect(warnings.filter((line) => line.includes('are not confirmed'))).toHaveLength(1);
    expect(await place('lot_2')).toMatchObject({ status: 'accepted' });
    await scene.clock.advance(60_000);
    expect(await rejection(place('lot_3'))).toMatchObject(wrong('environment', 'production'));
    expect(count(transport.lines, PROFILE)).toBe(2);
  });

  it('because its caller gave up: the next write asks', async () => {
    const scene = new Scene();
    const steps = [lotStatus(null), { hang: true } as const, PRODUCTION];
    const { client, place } = dealer(steps, {}, scene);
    await scene.during(client.lots.status(LOT));
    const stop = new AbortController();
    const first = client.bids.place(BID, { ...KEYED, signal: stop.signal });
    await scene.clock.advance(1_000);
    stop.abort();
    expect(await scene.during(first)).toMatchObject({ status: 'not_sent', idempotencyKey: KEY });
    expect(await rejection(place())).toMatchObject(wrong('environment', 'production'));
  });
});

describe('writes that begin together', () => {
  it('share one question', async () => {
    const { client, scene, transport } = dealer([PRODUCTION]);
    const lots = ['lot_1', 'lot_2', 'lot_3'];
    const all = lots.map((lot) => rejection(client.bids.place({ ...BID, lot })));
    for (const error of await scene.during(Promise.all(all))) {
      expect(error).toMatchObject(wrong('environment', 'production'));
    }
    expect(transport.lines).toEqual([PROFILE]);
  });
});
