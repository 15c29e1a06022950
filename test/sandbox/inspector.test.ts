import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, send } from './caller.js';
import { ask, changing, originOf, post, read } from './inspecting.js';
import { wonLot } from './workflow.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
});
afterEach(() => sandbox.close());

const profile = '/api/v1/integration/profile';
const noon = Date.parse('2026-03-01T12:00:00Z');

describe('where it is', () => {
  test('the page is at the root of the server, and may load nothing from elsewhere', async () => {
    const page = await ask(sandbox, 'GET', '/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.text).not.toMatch(/<script>|<style|\son\w+=|style="|https?:\/\/(?!www\.w3\.org)/);
    const loaded = [...page.text.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path = '']) => path);
    expect(loaded).toEqual(['/_sandbox/page.css', '/_sandbox/page/main.js']);
    for (const path of loaded) expect((await ask(sandbox, 'GET', path)).status).toBe(200);
    expect(await ask(sandbox, 'HEAD', '/')).toMatchObject({ status: 200, text: '' });
  });

  test('behind a front-controller prefix it stays at the root', async () => {
    await using behind = await startSandbox({ clock: 'manual', prefix: '/index.php' });
    expect((await ask(behind, 'GET', '/')).status).toBe(200);
    expect((await read(behind, '/state')).json.baseUrl).toBe(`${originOf(behind)}/index.php/api/v1`);
    expect((await ask(behind, 'GET', '/index.php/_sandbox/state')).status).toBe(404);
  });

  test('it can be off', async () => {
    await using plain = await startSandbox({ clock: 'manual', inspector: false });
    for (const path of ['/', '/_sandbox/state', '/_sandbox/page.css', '/_sandbox/glance'])
      expect((await ask(plain, 'GET', path)).status).toBe(404);
    expect((await post(plain, '/clock', { ms: 60_000 })).status).toBe(404);
    expect(plain.attempts()).toHaveLength(5);
    await expect(startSandbox(JSON.parse('{"inspector":"no"}'))).rejects.toThrow(RangeError);
  });

  test('in process there is none: sandbox.fetch reaches the service only', async () => {
    expect((await sandbox.fetch(`${originOf(sandbox)}/_sandbox/state`)).status).toBe(404);
  });

  test('it counts nowhere: not as an attempt, not against the rate limit, not in the ledger', async () => {
    for (let n = 0; n < 130; n += 1) await read(sandbox, '/state');
    await post(sandbox, '/clock', { ms: 1 });
    expect([sandbox.attempts(), sandbox.ledger()]).toEqual([[], []]);
    expect((await get(sandbox, sandbox.credentials.dealer, profile)).status).toBe(200);
  });
});

describe('what it tells', () => {
  test('the state: time, clients, auctions, counts; and no secret', async () => {
    const { dealer } = sandbox.credentials;
    await bid(sandbox, dealer, lotOf(sandbox, 'live-open').id, {
      amount: lotOf(sandbox, 'live-open').startingPrice,
    });
    const { json, text } = await read(sandbox, '/state');
    expect(json).toMatchObject({
      now: Date.parse('2026-03-01T10:00:00Z'),
      clock: 'manual',
      baseUrl: sandbox.baseUrl,
      environment: 'sandbox',
      attempts: 1,
      ledger: 1,
    });
    expect(json.clients).toContainEqual({
      who: 'dealer',
      clientId: dealer.clientId,
      keyId: dealer.keyId,
      actor: 'partner',
      partnerType: 'direct_dealer',
      dealerId: 'D-204',
    });
    expect((await read(sandbox, '/auctions')).json.auctions[0]).toMatchObject({
      label: 'live-open',
      status: 'live',
      bidType: 'open',
      increment: '5000.00',
      closesAt: Date.parse('2026-03-01T14:00:00Z'),
      lots: 40,
      bids: 1,
    });
    expect(json.operations).toContain('bids.submit');
    for (const { signingSecret } of Object.values(sandbox.credentials))
      expect(text).not.toContain(signingSecret);
  });

  test('an auction by id or label: its lots with leader and highest, sealed ones too', async () => {
    const { platform } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-closed', 3);
    await bid(sandbox, platform, lot.id, { amount: lot.startingPrice, bidder_reference: 'B-77' });
    const { json } = await read(sandbox, '/auctions/live-closed');
    expect([json.items.length, json.matching]).toEqual([30, 30]);
    expect(json.items[3]).toMatchObject({
      id: lot.id,
      startingPrice: lot.startingPrice,
      highest: lot.startingPrice,
      leader: { clientId: platform.clientId, bidderReference: 'B-77' },
      bids: 1,
      sale: null,
    });
    expect(json.items[4]).toMatchObject({ highest: null, leader: null, bids: 0 });
    const found = await read(sandbox, `/auctions/${json.id}?search=${lot.id.toUpperCase()}&limit=5`);
    expect([found.json.matching, found.json.items[0].id]).toEqual([1, lot.id]);
    expect((await read(sandbox, '/auctions/live-open?limit=2')).json.items).toHaveLength(2);
  });

  test('a sale once there is one', async () => {
    const { saleId, lotId } = await wonLot(sandbox);
    const { json } = await read(sandbox, '/auctions/live-open');
    expect(json.status).toBe('over');
    expect(json.items.find((lot: { id: string }) => lot.id === lotId).sale).toEqual({
      id: saleId,
      state: 'pending_bank_approval',
    });
  });

  test('requests since a number, without contents; one of them with them', async () => {
    const { dealer } = sandbox.credentials;
    const path = '/api/v1/lots/status-batch';
    for (let n = 0; n < 3; n += 1) await send(sandbox, dealer, { path, body: { lot_ids: [`x${n}`] } });
    const { json } = await read(sandbox, '/attempts?since=1');
    expect([json.total, json.attempts.map(({ n }: { n: number }) => n)]).toEqual([3, [2, 3]]);
    expect(json.attempts[0]).toMatchObject({ call: 'lots.statusBatch', status: 200, signature: 'valid' });
    expect(json.attempts[0]).not.toHaveProperty('request');
    expect((await read(sandbox, '/attempts?limit=1')).json.attempts[0].n).toBe(3);
    expect((await read(sandbox, '/attempts/2')).json).toMatchObject({ n: 2, request: { lot_ids: ['x1'] } });
  });

  test('the ledger since a number', async () => {
    sandbox.actors.rival.bidNext(lotOf(sandbox, 'live-open').id);
    sandbox.actors.rival.bidNext(lotOf(sandbox, 'live-open', 1).id);
    const { json } = await read(sandbox, '/ledger?since=1');
    expect([json.total, json.entries.length]).toEqual([2, 1]);
    expect(json.entries[0]).toMatchObject({ n: 2, kind: 'bid', clientId: sandbox.actors.rival.clientId });
  });
});

describe('what it does', () => {
  test.each([
    ['by milliseconds', { ms: 7_200_000 }],
    ['to a moment in ISO 8601', { to: '2026-03-01T12:00:00Z' }],
    ['to a moment in milliseconds', { to: noon }],
  ])('moves the clock forward %s', async (_, body) => {
    expect((await post(sandbox, '/clock', body)).json).toEqual({ now: noon });
    expect(sandbox.clock.now()).toBe(noon);
  });

  test('closes an auction, once', async () => {
    expect((await post(sandbox, '/auctions/live-open/close')).json).toMatchObject({
      label: 'live-open',
      status: 'over',
      closesAt: Date.parse('2026-03-01T10:00:00Z'),
    });
    expect(sandbox.auctions.get('live-open').status).toBe('over');
  });

  test.each([
    ['later', { ms: 600_000 }, '2026-03-01T14:10:00Z'],
    ['earlier', { ms: -3_600_000 }, '2026-03-01T13:00:00Z'],
    ['to a moment', { to: '2026-03-01T20:00:00Z' }, '2026-03-01T20:00:00Z'],
  ])('moves a close %s', async (_, body, closesAt) => {
    const moved = await post(sandbox, '/auctions/live-open/move-close', body);
    expect(moved.json).toMatchObject({ label: 'live-open', closesAt: Date.parse(closesAt) });
    expect(sandbox.auctions.get('live-open').closesAt).toBe(Date.parse(closesAt));
  });

  test('has the rival bid an amount, or the least that it may', async () => {
    const lot = lotOf(sandbox, 'live-open');
    const first = await post(sandbox, `/lots/${lot.id}/rival-bid`, { amount: lot.startingPrice });
    expect([first.status, first.json.amount]).toEqual([200, lot.startingPrice]);
    const next = await post(sandbox, `/lots/${lot.id}/rival-bid`);
    expect(next.json.amount).toBe((Number(lot.startingPrice) + 5_000).toFixed(2));
    expect(sandbox.ledger().map(({ recordId }) => recordId)).toEqual([first.json.bidId, next.json.bidId]);
  });

  test('plans faults, lists them and withdraws them', async () => {
    const made = await post(sandbox, '/faults', {
      fault: 'drop_after_commit',
      operation: 'bids.submit',
      times: 'always',
    });
    expect(made.json).toEqual({
      n: 1,
      plan: { fault: 'drop_after_commit', operation: 'bids.submit', times: 'always' },
      toPass: 0,
      left: 'always',
    });
    sandbox.inject({ fault: 'delay', ms: 5, nth: 3, where: () => true });
    expect((await read(sandbox, '/faults')).json.faults[1]).toEqual({
      n: 2,
      plan: { fault: 'delay', ms: 5, nth: 3, where: 'a function' },
      toPass: 2,
      left: 1,
    });
    const gone = await ask(sandbox, 'DELETE', '/_sandbox/faults/1', changing, '{}');
    expect(gone.json.faults.map(({ n }: { n: number }) => n)).toEqual([2]);
    const { dealer } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    expect((await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice })).status).toBe(201);
  });

  test('strikes the next request', async () => {
    await post(sandbox, '/faults', { fault: 'error_before_commit', status: 503 });
    expect((await get(sandbox, sandbox.credentials.dealer, profile)).status).toBe(503);
    expect((await read(sandbox, '/faults')).json.faults).toEqual([]);
  });

  test('changes facts of a client; all that it tells can be sent back', async () => {
    const { dealer, bank } = sandbox.credentials;
    for (const { clientId } of [dealer, bank]) {
      const { facts } = (await read(sandbox, `/partners/${clientId}`)).json;
      expect((await post(sandbox, `/partners/${clientId}`, facts)).json).toEqual({ clientId, facts });
    }
    expect((await post(sandbox, `/partners/${dealer.clientId}`, { kyb: false })).json.facts.kyb).toBe(false);
    expect((await get(sandbox, dealer, profile)).json.code).toBe('KYB_REQUIRED');
  });

  test('brings a sale on, step by step, for the bank and the buyer', async () => {
    const { id } = lotOf(sandbox, 'live-open');
    expect((await post(sandbox, `/sales/${id}/approve`, {})).status).toBe(409);
    sandbox.actors.rival.bidNext(id);
    sandbox.auctions.close('live-open');
    expect((await post(sandbox, `/sales/${id}/release`, {})).status).toBe(409);
    for (const step of ['approve', 'acknowledge', 'settle', 'release', 'collect']) {
      expect((await post(sandbox, `/sales/${id}/${step}`, {})).status, step).toBe(200);
    }
    expect(sandbox.ledger().at(-1)).toMatchObject({ kind: 'release', call: 'releases.collect', lotId: id });
    const again = await post(sandbox, `/sales/${id}/collect`, {});
    expect([again.status, Object.keys(again.json)]).toEqual([409, ['message']]);
    expect((await post(sandbox, '/sales/sal_0/approve', {})).status).toBe(404);
    expect((await post(sandbox, `/sales/${id}/approve`, { amount: '1.00' })).status).toBe(400);
    expect(sandbox.attempts()).toEqual([]);
  });

  test('tells what was delivered, and of no secret', async () => {
    const { secret } = sandbox.webhooks.subscribe({
      who: sandbox.credentials.dealer,
      url: 'https://receiver.invalid/hooks',
      events: ['sale.approved'],
    });
    const { json, text } = await read(sandbox, '/webhooks');
    expect(json.deliveries).toMatchObject([{ type: 'webhook.endpoint_verification', repeats: null }]);
    expect(text).not.toContain(secret);
  });

  test('pauses and resumes the scanner', async () => {
    expect((await post(sandbox, '/scanner', { running: false })).json).toEqual({ running: false });
    expect((await read(sandbox, '/state')).json.scanning).toBe(false);
    expect((await post(sandbox, '/scanner', { running: true })).json).toEqual({ running: true });
  });
});

describe('the glance that the page polls', () => {
  const approve = (each: Sandbox) => {
    each.auctions.close('live-open');
    each.actors.bank.approve(lotOf(each, 'live-open').id);
  };

  test.each<[string, string, (sandbox: Sandbox) => unknown]>([
    ['time', 'now', (each) => each.clock.advance(1_000)],
    ['a request', 'attempts', (each) => get(each, each.credentials.dealer, profile)],
    ['a bid of the rival', 'ledger', (each) => each.actors.rival.bidNext(lotOf(each, 'live-open').id)],
    ['a bid of the rival', 'auctions', (each) => each.actors.rival.bidNext(lotOf(each, 'live-open').id)],
    ['a close', 'auctions', (each) => each.auctions.moveClose('live-open', '2026-03-01T20:00:00Z')],
    ['a fault', 'faults', (each) => each.inject({ fault: 'redirect' })],
    ['a sale that is decided', 'sales', approve],
    ['a subscription', 'webhooks', subscribe],
    ['a rotated key', 'clients', (each) => each.partners.rotateKey(each.credentials.dealer.clientId)],
  ])('%s, whoever moved it: %s differs', async (_, field, move) => {
    if (field === 'sales') sandbox.actors.rival.bidNext(lotOf(sandbox, 'live-open').id);
    const before = (await read(sandbox, '/glance')).json;
    await move(sandbox);
    await sandbox.webhooks.settled();
    const after = (await read(sandbox, '/glance')).json;
    expect(after[field]).not.toEqual(before[field]);
    expect((await read(sandbox, '/glance')).json).toEqual(after);
  });
});

function subscribe(each: Sandbox) {
  const url = 'https://8.8.8.8.invalid/hooks';
  each.webhooks.subscribe({ who: each.credentials.dealer, url, events: ['sale.approved'] });
}
