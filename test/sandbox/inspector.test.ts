import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { root } from '../support/sources.js';
import { bid, dealer, freshSandbox, get, lotOf, onManualClock, profile, sandbox, send } from './caller.js';
import { ask, changing, originOf, post, read } from './inspecting.js';

const startAt = Date.parse('2026-03-01T10:00:00Z');
freshSandbox({ rateLimit: 120 });

const refusal = async (reply: ReturnType<typeof ask>) => {
  const { status, json } = await reply;
  expect(Object.keys(json)).toEqual(['message']);
  return status;
};
const placed = (label: string, index = 0, who = dealer(), more = {}) => {
  const { id, startingPrice } = lotOf(sandbox, label, index);
  return bid(sandbox, who, id, { amount: startingPrice, ...more });
};

describe('the page', () => {
  const folder = `${root}src/sandbox/assets/inspector/`;
  const names = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const scripts = names.map((name) => [name, readFileSync(folder + name, 'utf8')] as const);

  test('is at the root of the server, and may load nothing from elsewhere', async () => {
    const page = await ask(sandbox, 'GET', '/');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(page.headers['content-security-policy']).split('; ').sort();
    const self = ['connect', 'script', 'style'].map((what) => `${what}-src 'self'`);
    const none = ['base-uri', 'default-src', 'form-action', 'frame-ancestors'];
    expect(policy).toEqual([...self, ...none.map((what) => `${what} 'none'`), "img-src 'self' data:"].sort());
    expect(page.text).not.toMatch(/<script>|<style|\son\w+=|style="|https?:\/\/(?!www\.w3\.org)/);
    const loaded = [...page.text.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path = '']) => path);
    expect(loaded).toEqual(['/_sandbox/page.css', '/_sandbox/page/main.js']);
    for (const path of loaded) expect((await ask(sandbox, 'GET', path)).status).toBe(200);
    expect(await ask(sandbox, 'HEAD', '/')).toMatchObject({ status: 200, text: '' });
  });

  test('has typed scripts: the compiler finds nothing in them', () => {
    const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', `${folder}tsconfig.json`], { stdio: 'pipe' });
    expect(scripts.every(([, text]) => text.startsWith('// @ts-check\n'))).toBe(true);
  });

  test('has scripts that are all served and loaded, and make no markup or code of what requests carry', async () => {
    const imports = scripts.flatMap(([, text]) => [...text.matchAll(/^import .* from '\.\/(.*)';$/gm)]);
    expect(new Set(['main.js', ...imports.map(([, name]) => name)])).toEqual(new Set(names));
    const unsafe =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|srcdoc|DOMParser/;
    for (const [name, text] of scripts) {
      const served = await ask(sandbox, 'GET', `/_sandbox/page/${name}`);
      expect(served).toMatchObject({ status: 200, text });
      expect(served.headers['content-type']).toBe('text/javascript; charset=utf-8');
      expect(text, name).not.toMatch(unsafe);
      expect(text, name).not.toMatch(/https?:\/\//);
    }
  });

  test('stays at the root behind a front-controller prefix', async () => {
    await using behind = await onManualClock({ prefix: '/index.php' });
    expect((await ask(behind, 'GET', '/')).status).toBe(200);
    expect((await read(behind, '/state')).json.baseUrl).toBe(`${originOf(behind)}/index.php/api/v1`);
    expect((await ask(behind, 'GET', '/index.php/_sandbox/state')).status).toBe(404);
  });

  test('can be off, and is not there in process', async () => {
    await using plain = await onManualClock({ inspector: false });
    for (const path of ['/', '/_sandbox/state', '/_sandbox/page.css']) {
      expect((await ask(plain, 'GET', path)).status).toBe(404);
    }
    expect((await post(plain, '/clock', { ms: 60_000 })).status).toBe(404);
    expect(plain.attempts()).toHaveLength(4);
    await expect(startSandbox(JSON.parse('{"inspector":"no"}'))).rejects.toThrow(RangeError);
    expect((await sandbox.fetch(`${originOf(sandbox)}/_sandbox/state`)).status).toBe(404);
  });

  test('counts nowhere: not as an attempt, not against the rate limit, not in the ledger', async () => {
    for (let n = 0; n < 130; n += 1) await read(sandbox, '/state');
    await post(sandbox, '/clock', { ms: 1 });
    expect([sandbox.attempts(), sandbox.ledger()]).toEqual([[], []]);
    expect((await get(sandbox, dealer(), profile)).status).toBe(200);
  });
});

describe('the control interface tells', () => {
  test('the state and the auctions, and no secret', async () => {
    await placed('live-open');
    const { json, text } = await read(sandbox, '/state');
    const { baseUrl } = sandbox;
    const counts = { attempts: 1, ledger: 1 };
    expect(json).toMatchObject({ now: startAt, clock: 'manual', baseUrl, environment: 'sandbox', ...counts });
    const { clientId, keyId } = dealer();
    const party = { actor: 'partner', partnerType: 'direct_dealer', dealerId: 'D-204' };
    expect(json.clients).toContainEqual({ who: 'dealer', clientId, keyId, ...party });
    expect(json.operations).toContain('bids.submit');
    for (const { signingSecret } of Object.values(sandbox.credentials))
      expect(text).not.toContain(signingSecret);
    expect((await read(sandbox, '/auctions')).json.auctions[0]).toMatchObject({
      ...{ label: 'live-open', status: 'live', bidType: 'open', increment: '5000.00', lots: 40, bids: 1 },
      closesAt: Date.parse('2026-03-01T14:00:00Z'),
    });
  });

  test('the lots of an auction by id or label, with leader and highest, sealed ones too', async () => {
    const { platform } = sandbox.credentials;
    const { id, startingPrice } = lotOf(sandbox, 'live-closed', 3);
    await placed('live-closed', 3, platform, { bidder_reference: 'B-77' });
    const { json } = await read(sandbox, '/auctions/live-closed');
    expect([json.items.length, json.matching]).toEqual([30, 30]);
    const leader = { clientId: platform.clientId, bidderReference: 'B-77' };
    const bidOn = { highest: startingPrice, leader, bids: 1, sale: null };
    expect(json.items[3]).toMatchObject({ id, startingPrice, ...bidOn });
    expect(json.items[4]).toMatchObject({ highest: null, leader: null, bids: 0 });
    const found = (await read(sandbox, `/auctions/${json.id}?search=${id.toUpperCase()}&limit=5`)).json;
    expect([found.matching, found.items[0].id]).toEqual([1, id]);
    expect((await read(sandbox, '/auctions/live-open?limit=2')).json.items).toHaveLength(2);
  });

  test('requests and the ledger since a number; one request with its content', async () => {
    const path = '/api/v1/lots/status-batch';
    for (let n = 0; n < 3; n += 1) await send(sandbox, dealer(), { path, body: { lot_ids: [`x${n}`] } });
    const { total, attempts } = (await read(sandbox, '/attempts?since=1')).json;
    expect([total, attempts.map(({ n }: { n: number }) => n)]).toEqual([3, [2, 3]]);
    expect(attempts[0]).toMatchObject({ call: 'lots.statusBatch', status: 200, signature: 'valid' });
    expect(attempts[0]).not.toHaveProperty('request');
    expect((await read(sandbox, '/attempts?limit=1')).json.attempts[0].n).toBe(3);
    expect((await read(sandbox, '/attempts/2')).json).toMatchObject({ n: 2, request: { lot_ids: ['x1'] } });
    for (const index of [0, 1]) sandbox.actors.rival.bidNext(lotOf(sandbox, 'live-open', index).id);
    const { clientId } = sandbox.actors.rival;
    const entries = [{ n: 2, kind: 'bid', clientId }];
    expect((await read(sandbox, '/ledger?since=1')).json).toMatchObject({ total: 2, entries });
  });

  test('what was delivered, and no secret of it', async () => {
    const { secret } = subscribe(sandbox);
    const { json, text } = await read(sandbox, '/webhooks');
    expect(json.deliveries).toMatchObject([{ type: 'webhook.endpoint_verification', repeats: null }]);
    expect(text).not.toContain(secret);
  });
});

describe('the control interface', () => {
  const noon = Date.parse('2026-03-01T12:00:00Z');
  test.each([{ ms: 7_200_000 }, { to: '2026-03-01T12:00:00Z' }, { to: noon }])(
    'moves the clock by %o',
    async (body) => {
      expect((await post(sandbox, '/clock', body)).json).toEqual({ now: noon });
      expect(sandbox.clock.now()).toBe(noon);
    },
  );

  test.each<[string, object, string]>([
    ['close', {}, '2026-03-01T10:00:00Z'],
    ['move-close', { ms: 600_000 }, '2026-03-01T14:10:00Z'],
    ['move-close', { ms: -3_600_000 }, '2026-03-01T13:00:00Z'],
    ['move-close', { to: '2026-03-01T20:00:00Z' }, '2026-03-01T20:00:00Z'],
  ])('moves a close: %s %o', async (action, body, closes) => {
    const closesAt = Date.parse(closes);
    const { json } = await post(sandbox, `/auctions/live-open/${action}`, body);
    const moved = { label: 'live-open', closesAt, status: action === 'close' ? 'over' : 'live' };
    expect([json, sandbox.auctions.get('live-open')]).toMatchObject([moved, moved]);
  });

  test('plans faults, lists them and withdraws them', async () => {
    const plan = { fault: 'drop_after_commit', operation: 'bids.submit', times: 'always' };
    expect((await post(sandbox, '/faults', plan)).json).toEqual({ n: 1, plan, toPass: 0, left: 'always' });
    sandbox.inject({ fault: 'delay', ms: 5, nth: 3, where: () => true });
    const [, second] = (await read(sandbox, '/faults')).json.faults;
    const delay = { fault: 'delay', ms: 5, nth: 3, where: 'a function' };
    expect(second).toEqual({ n: 2, plan: delay, toPass: 2, left: 1 });
    const gone = await ask(sandbox, 'DELETE', '/_sandbox/faults/1', changing, '{}');
    expect(gone.json.faults).toEqual([second]);
    expect((await placed('live-open')).status).toBe(201);
    await ask(sandbox, 'DELETE', '/_sandbox/faults/2', changing, '{}');
    await post(sandbox, '/faults', { fault: 'error_before_commit', status: 503 });
    expect((await get(sandbox, dealer(), profile)).status).toBe(503);
    expect((await read(sandbox, '/faults')).json.faults).toEqual([]);
  });

  test('changes facts of a client; all that it tells can be sent back', async () => {
    for (const { clientId } of [dealer(), sandbox.credentials.bank]) {
      const { facts } = (await read(sandbox, `/partners/${clientId}`)).json;
      expect((await post(sandbox, `/partners/${clientId}`, facts)).json).toEqual({ clientId, facts });
    }
    const { json } = await post(sandbox, `/partners/${dealer().clientId}`, { kyb: false });
    expect(json.facts.kyb).toBe(false);
    expect((await get(sandbox, dealer(), profile)).json.code).toBe('KYB_REQUIRED');
  });

  test('brings a sale on, step by step, for the bank and the buyer', async () => {
    const { id } = lotOf(sandbox, 'live-open');
    const step = (name: string) => post(sandbox, `/sales/${id}/${name}`, {});
    expect(await refusal(step('approve'))).toBe(409);
    sandbox.actors.rival.bidNext(id);
    sandbox.auctions.close('live-open');
    expect(await refusal(step('release'))).toBe(409);
    for (const name of ['approve', 'acknowledge', 'settle', 'release', 'collect']) {
      expect([name, (await step(name)).status]).toEqual([name, 200]);
    }
    expect(sandbox.ledger().at(-1)).toMatchObject({ kind: 'release', call: 'releases.collect', lotId: id });
    expect(await refusal(step('collect'))).toBe(409);
    expect((await post(sandbox, '/sales/sal_0/approve', {})).status).toBe(404);
    expect((await post(sandbox, `/sales/${id}/approve`, { amount: '1.00' })).status).toBe(400);
    expect(await refusal(post(sandbox, '/auctions/live-open/move-close', { ms: 60_000 }))).toBe(409);
    expect([sandbox.auctions.get('live-open').closesAt, sandbox.attempts()]).toEqual([startAt, []]);
  });

  test('pauses and resumes the scanner', async () => {
    expect((await post(sandbox, '/scanner', { running: false })).json).toEqual({ running: false });
    expect((await read(sandbox, '/state')).json.scanning).toBe(false);
    expect((await post(sandbox, '/scanner', { running: true })).json).toEqual({ running: true });
  });
});

describe('the control interface refuses', () => {
  afterEach(async () => {
    // Whatever was refused has moved nothing.
    expect(sandbox.clock.now()).toBe(startAt);
    expect((await read(sandbox, '/faults')).json).toEqual({ faults: [] });
    expect(sandbox.auctions.get('live-open').closesAt).toBe(Date.parse('2026-03-01T14:00:00Z'));
    expect(sandbox.ledger()).toEqual([]);
  });
  const minute = JSON.stringify({ ms: 60_000 });
  const move = (headers: Record<string, string>) => ask(sandbox, 'POST', '/_sandbox/clock', headers, minute);
  const look = (headers: Record<string, string>, path = '/_sandbox/state') =>
    ask(sandbox, 'GET', path, headers);
  const at = (name: string) => ({ Host: `${name}:${new URL(originOf(sandbox)).port}` });

  test.each([
    ...['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', 'evil-localhost', '10.0.0.7'],
    ...['[2001:db8::1]', 'localhost@evil.example', '127.0.0.1, evil.example'],
  ])('the name %s, as after a rebinding', async (name) => {
    for (const path of ['/', '/_sandbox/state', '/_sandbox/page.css']) {
      expect(await refusal(look(at(name), path))).toBe(403);
    }
    expect(await refusal(move({ ...changing, ...at(name) }))).toBe(403);
  });

  test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.8.7', '[::1]'])('but not %s', async (name) => {
    expect((await look(at(name))).status).toBe(200);
    expect((await look({ Host: name })).status).toBe(200);
  });

  test('no address that has the token where it listens everywhere, and any other name', async () => {
    await using open = await startSandbox({ clock: 'manual', host: '0.0.0.0' });
    expect(sandbox.controlToken).toBeUndefined();
    const seen = async (host: string, token = open.controlToken ?? '') =>
      (await ask(open, 'GET', '/_sandbox/state', { Host: host, 'X-Sandbox-Token': token })).status;
    expect([await seen('10.0.0.7:4010'), await seen('[2001:db8::1]:4010')]).toEqual([200, 200]);
    expect([await seen('localhost:4010', ''), await seen('10.0.0.7:4010', 'guessed')]).toEqual([401, 401]);
    expect([await seen('sandbox.test:4010'), await seen('evil.example')]).toEqual([403, 403]);
    const headers = { ...changing, Host: 'localhost' };
    expect(await refusal(ask(open, 'POST', '/_sandbox/clock', headers, minute))).toBe(401);
    expect((await ask(open, 'GET', '/', { Host: 'localhost' })).status).toBe(200);
  });

  test.each<Record<string, string>[]>([
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'http://127.0.0.1:1' }],
    [{ Origin: 'null' }],
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site' }],
  ])('reads and changes from %o, without CORS', async (from) => {
    for (const reply of [look(from), move({ ...changing, ...from })]) {
      expect(await refusal(reply)).toBe(403);
      expect(Object.keys((await reply).headers).join()).not.toContain('access-control');
    }
  });

  test('a preflight, but not a link to the page, nor the page of its own origin', async () => {
    const names = {
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-sandbox-control',
    };
    const headers = { Origin: 'https://evil.example', ...names };
    const preflight = await ask(sandbox, 'OPTIONS', '/_sandbox/clock', headers);
    expect(preflight.status).toBe(403);
    expect(Object.keys(preflight.headers).join()).not.toContain('access-control');
    expect((await look({ 'Sec-Fetch-Site': 'cross-site' }, '/')).status).toBe(200);
    const own = { ...changing, Origin: originOf(sandbox), 'Sec-Fetch-Site': 'same-origin' };
    expect((await ask(sandbox, 'POST', '/_sandbox/scanner', own, '{"running":true}')).status).toBe(200);
  });

  test.each<[Record<string, string>, number]>([
    [{ 'Content-Type': 'application/json' }, 403],
    [{ ...changing, 'X-Sandbox-Control': 'yes' }, 403],
    [{ ...changing, 'Content-Type': 'application/x-www-form-urlencoded' }, 400],
    [{ ...changing, 'Content-Type': 'text/plain' }, 400],
    [{ 'X-Sandbox-Control': '1' }, 400],
  ])('a change with the headers %o with %i', async (headers, status) => {
    expect(await refusal(move(headers))).toBe(status);
  });

  test.each([
    ['/', 404, 'GET'],
    ['/nothing', 404, 'GET'],
    ['/page/../state', 404, 'GET'],
    ['/page/__proto__.js', 404, 'GET'],
    ['/auctions/nothing', 404, 'GET'],
    ['/attempts/1', 404, 'GET'],
    ['/partners/nobody', 404, 'POST'],
    ['/auctions/nothing/close', 404, 'POST'],
    ['/lots/nothing/rival-bid', 404, 'POST'],
    ['/faults/1', 404, 'DELETE'],
    ['/clock', 405, 'PUT'],
    ['/state', 405, 'POST'],
    ['/page.css', 405, 'POST'],
    ['/faults', 405, 'DELETE'],
    ['/attempts?since=-1', 400, 'GET'],
    ['/attempts?limit=1.5', 400, 'GET'],
    ['/attempts?limit=', 400, 'GET'],
  ])('%s with %i to %s', async (path, status, method) => {
    const headers = method === 'GET' ? {} : changing;
    expect(await refusal(ask(sandbox, method, `/_sandbox${path}`, headers))).toBe(status);
    expect((await ask(sandbox, 'POST', '/', changing)).status).toBe(405);
    expect(sandbox.attempts()).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['/clock', '{', ''],
    ['/clock', '\u00ff', ''],
    ['/clock', 'null', ''],
    ['/clock', '{}', 'ms'],
    ['/clock', '{"ms":1,"to":1}', 'ms'],
    ['/clock', '{"ms":-1}', ''],
    ['/clock', '{"to":"2026-03-01T09:00:00Z"}', ''],
    ['/clock', '{"to":"yesterday"}', ''],
    ['/clock', '{"ms":"60000"}', 'ms'],
    ['/clock', '{"ms":1e300}', ''],
    ['/clock', '{"ms":1,"more":1}', 'more'],
    ['/clock', `{"ms":1,"to":"${'x'.repeat(70_000)}"}`, ''],
    ['/auctions/live-open/close', '{"ms":1}', 'ms'],
    ['/auctions/live-open/move-close', '{"to":8640000000000001}', ''],
    ['/auctions/live-open/move-close', '{"ms":1e15}', ''],
    ['/lots/LOT/rival-bid', '{"amount":100000}', 'amount'],
    ['/lots/LOT/rival-bid', '{"amount":"1e5"}', 'amount'],
    ['/faults', '{}', 'plan.fault'],
    ['/faults', '{"fault":"constructor"}', 'plan.fault'],
    ['/faults', '{"fault":"delay","ms":"5"}', 'plan.ms'],
    ['/faults', '{"fault":"redirect","where":"1"}', 'where'],
    ['/partners/CLIENT', '{"scopes":["everything"]}', 'scopes[0]'],
    ['/partners/CLIENT', '{"signingSecret":"x"}', 'signingSecret'],
    ['/scanner', '{"running":"no"}', 'running'],
  ])('%s %s, and names the field "%s"', async (path, body, named) => {
    const { clientId } = dealer();
    const facts = sandbox.partners.get(clientId);
    const whole = path.replace('LOT', lotOf(sandbox, 'live-open').id).replace('CLIENT', clientId);
    const refused = ask(sandbox, 'POST', `/_sandbox${whole}`, changing, body);
    expect(await refusal(refused)).toBe(400);
    expect((await refused).json.message).toContain(named);
    expect(sandbox.partners.get(clientId)).toEqual(facts);
  });
});

function subscribe(each: Sandbox) {
  const url = 'https://8.8.8.8.invalid/hooks';
  return each.webhooks.subscribe({ who: each.credentials.dealer, url, events: ['sale.approved'] });
}
