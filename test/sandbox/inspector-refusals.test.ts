import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { lotOf } from './caller.js';
import { ask, changing, originOf, post, read } from './inspecting.js';
import { wonLot } from './workflow.js';

const startAt = Date.parse('2026-03-01T10:00:00Z');
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt });
});
afterEach(async () => {
  // Whatever was refused has moved nothing.
  expect(sandbox.clock.now()).toBe(startAt);
  expect((await read(sandbox, '/faults')).json).toEqual({ faults: [] });
  await sandbox.close();
});

const minute = JSON.stringify({ ms: 60_000 });
const portOf = () => new URL(originOf(sandbox)).port;

describe('other sites', () => {
  test.each([
    ['evil.example'],
    ['127.0.0.1.evil.example'],
    ['localhost.evil.example'],
    ['evil-localhost'],
    ['10.0.0.7'],
    ['[2001:db8::1]'],
    ['localhost@evil.example'],
    ['127.0.0.1, evil.example'],
  ])('under the name %s, as after a rebinding, they see and move nothing', async (name) => {
    const host = { Host: `${name}:${portOf()}` };
    for (const path of ['/', '/_sandbox/state', '/_sandbox/glance', '/_sandbox/page.css']) {
      const refused = await ask(sandbox, 'GET', path, host);
      expect([refused.status, Object.keys(refused.json)]).toEqual([403, ['message']]);
    }
    expect((await ask(sandbox, 'POST', '/_sandbox/clock', { ...changing, ...host }, minute)).status).toBe(
      403,
    );
  });

  test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.8.7', '[::1]'])(
    '%s is this machine',
    async (name) => {
      const host = { Host: `${name}:${portOf()}` };
      expect((await ask(sandbox, 'GET', '/_sandbox/state', host)).status).toBe(200);
      expect((await ask(sandbox, 'GET', '/_sandbox/state', { Host: name })).status).toBe(200);
    },
  );

  test('listening everywhere, it answers to every address that has the token, and to no other name', async () => {
    await using open = await startSandbox({ clock: 'manual', host: '0.0.0.0' });
    const look = async (host: string, token = open.controlToken ?? '') => {
      const headers = { Host: host, 'X-Sandbox-Token': token };
      return (await ask(open, 'GET', '/_sandbox/state', headers)).status;
    };
    expect([await look('10.0.0.7:4010'), await look('[2001:db8::1]:4010')]).toEqual([200, 200]);
    expect([await look('localhost:4010', ''), await look('10.0.0.7:4010', 'guessed')]).toEqual([401, 401]);
    expect([await look('sandbox.test:4010'), await look('evil.example')]).toEqual([403, 403]);
    const changed = await ask(open, 'POST', '/_sandbox/clock', { ...changing, Host: 'localhost' }, minute);
    expect([changed.status, Object.keys(changed.json)]).toEqual([401, ['message']]);
    expect((await ask(open, 'GET', '/', { Host: 'localhost' })).status).toBe(200);
    expect(sandbox.controlToken).toBeUndefined();
  });

  test.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['another port of this machine', { Origin: 'http://127.0.0.1:1' }],
    ['no origin to speak of', { Origin: 'null' }],
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another host of the site', { 'Sec-Fetch-Site': 'same-site' }],
  ])('%s: neither read nor changed, and no CORS', async (_, from: Record<string, string>) => {
    const looked = await ask(sandbox, 'GET', '/_sandbox/state', from);
    const moved = await ask(sandbox, 'POST', '/_sandbox/clock', { ...changing, ...from }, minute);
    expect([looked.status, moved.status]).toEqual([403, 403]);
    expect(Object.keys({ ...looked.headers, ...moved.headers }).join()).not.toContain('access-control');
  });

  test('a preflight gets no permission', async () => {
    const preflight = await ask(sandbox, 'OPTIONS', '/_sandbox/clock', {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-sandbox-control',
    });
    expect(preflight.status).toBe(403);
    expect(Object.keys(preflight.headers).join()).not.toContain('access-control');
  });

  test('a link may open the page; the page of the own origin may do everything', async () => {
    expect((await ask(sandbox, 'GET', '/', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(200);
    const own = { Origin: originOf(sandbox), 'Sec-Fetch-Site': 'same-origin' };
    const done = await ask(sandbox, 'POST', '/_sandbox/scanner', { ...changing, ...own }, '{"running":true}');
    expect(done.status).toBe(200);
  });
});

describe('what a change must say', () => {
  test.each<[string, Record<string, string>, number]>([
    ['no header of its own, as forms of other sites have it', { 'Content-Type': 'application/json' }, 403],
    ['the header with another value', { ...changing, 'X-Sandbox-Control': 'yes' }, 403],
    ['a form', { ...changing, 'Content-Type': 'application/x-www-form-urlencoded' }, 400],
    ['plain text', { ...changing, 'Content-Type': 'text/plain' }, 400],
    ['no type', { 'X-Sandbox-Control': '1' }, 400],
  ])('%s: %o is refused', async (_, headers, status) => {
    const refused = await ask(sandbox, 'POST', '/_sandbox/clock', headers, minute);
    expect([refused.status, Object.keys(refused.json)]).toEqual([status, ['message']]);
  });
});

describe('paths and methods', () => {
  test.each([
    ['GET', '/_sandbox'],
    ['GET', '/_sandbox/'],
    ['GET', '/_sandbox/nothing'],
    ['GET', '/_sandbox/page/../state'],
    ['GET', '/_sandbox/page/__proto__.js'],
    ['GET', '/_sandbox/auctions/nothing'],
    ['GET', '/_sandbox/attempts/1'],
    ['GET', '/_sandbox/partners/nobody'],
    ['POST', '/_sandbox/partners/nobody'],
    ['POST', '/_sandbox/auctions/nothing/close'],
    ['POST', '/_sandbox/lots/nothing/rival-bid'],
    ['DELETE', '/_sandbox/faults/1'],
  ])('%s %s: a 404 with a message', async (method, path) => {
    const reply = await ask(sandbox, method, path, method === 'GET' ? {} : changing);
    expect([reply.status, Object.keys(reply.json)]).toEqual([404, ['message']]);
    expect(sandbox.attempts()).toEqual([]);
  });

  test.each([
    ['GET', '/_sandbox/clock'],
    ['POST', '/_sandbox/state'],
    ['DELETE', '/_sandbox/faults'],
    ['POST', '/'],
    ['PUT', '/_sandbox/clock'],
    ['POST', '/_sandbox/glance'],
    ['POST', '/_sandbox/page.css'],
  ])('%s %s: a 405', async (method, path) => {
    const reply = await ask(sandbox, method, path, method === 'GET' ? {} : changing);
    expect([reply.status, Object.keys(reply.json)]).toEqual([405, ['message']]);
  });
});

describe('bodies that can’t be meant', () => {
  test.each<[string, string, RegExp]>([
    ['/clock', '{', /valid JSON/],
    ['/clock', '\u00ff', /./],
    ['/clock', '[]', /./],
    ['/clock', 'null', /./],
    ['/clock', '{}', /either ms.* or to/],
    ['/clock', '{"ms":1,"to":1}', /either ms.* or to/],
    ['/clock', '{"ms":-1}', /forward only/],
    ['/clock', '{"to":"2026-03-01T09:00:00Z"}', /forward only/],
    ['/clock', '{"to":"yesterday"}', /a moment is/],
    ['/clock', '{"ms":"60000"}', /^ms /],
    ['/clock', '{"ms":1e300}', /ten years/],
    ['/clock', '{"ms":1,"more":1}', /more/],
    ['/clock', `{"ms":1,"to":"${'x'.repeat(70_000)}"}`, /too large/],
    ['/auctions/live-open/close', '{"ms":1}', /ms/],
    ['/auctions/live-open/move-close', '{"to":8640000000000001}', /a moment is/],
    ['/auctions/live-open/move-close', '{"ms":1e15}', /ten years/],
    ['/lots/LOT/rival-bid', '{"amount":100000}', /^amount /],
    ['/lots/LOT/rival-bid', '{"amount":"1e5"}', /^amount .*INR decimal string/],
    ['/faults', '{}', /^plan\.fault /],
    ['/faults', '{"fault":"earthquake"}', /^plan\.fault /],
    ['/faults', '{"fault":"delay","ms":"5"}', /^plan\.ms /],
    ['/faults', '{"fault":"redirect","operation":"bids.win"}', /^plan\.operation /],
    ['/faults', '{"fault":"redirect","times":0}', /times/],
    ['/faults', '{"fault":"redirect","where":"1"}', /where/],
    ['/faults', '{"fault":"constructor"}', /^plan\.fault /],
    ['/partners/CLIENT', '{"kyb":"yes"}', /^kyb /],
    ['/partners/CLIENT', '{"buyerLimit":"a lot"}', /./],
    ['/partners/CLIENT', '{"scopes":["everything"]}', /^scopes\[0\] /],
    ['/partners/CLIENT', '{"allowedIps":["nowhere"]}', /^allowedIps .*IP addresses/],
    ['/partners/CLIENT', '{"signingSecret":"x"}', /signingSecret/],
    ['/scanner', '{"running":"no"}', /^running /],
  ])('%s %s', async (path, body, message) => {
    const { clientId } = sandbox.credentials.dealer;
    const facts = sandbox.partners.get(clientId);
    const whole = path.replace('LOT', lotOf(sandbox, 'live-open').id).replace('CLIENT', clientId);
    const refused = await ask(sandbox, 'POST', `/_sandbox${whole}`, changing, body);
    expect([refused.status, Object.keys(refused.json)]).toEqual([400, ['message']]);
    expect(refused.json.message).toMatch(message);
    expect(sandbox.partners.get(clientId)).toEqual(facts);
    expect(sandbox.auctions.get('live-open').closesAt).toBe(Date.parse('2026-03-01T14:00:00Z'));
    expect(sandbox.ledger()).toEqual([]);
  });

  test.each(['since=x', 'since=-1', 'limit=1.5', 'limit='])('?%s on a list', async (query) => {
    expect((await read(sandbox, `/attempts?${query}`)).status).toBe(400);
  });
});

describe('what the rules of the auction forbid', () => {
  test('a rival’s bid that is off the grid', async () => {
    const lot = lotOf(sandbox, 'live-open');
    const amount = (Number(lot.startingPrice) + 1).toFixed(2);
    const refused = await post(sandbox, `/lots/${lot.id}/rival-bid`, { amount });
    expect(refused.status).toBe(409);
    expect(refused.json.message).toContain('BID_OFF_OPENING_GRID');
    expect(sandbox.ledger()).toEqual([]);
  });

  test('a close that has led to awards', async () => {
    await wonLot(sandbox);
    const refused = await post(sandbox, '/auctions/live-open/move-close', { ms: 60_000 });
    expect([refused.status, Object.keys(refused.json)]).toEqual([409, ['message']]);
    expect(sandbox.auctions.get('live-open').closesAt).toBe(startAt);
  });
});
