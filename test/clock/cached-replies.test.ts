import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import { acceptance, html, iso, LOT, lookup, lotStatus, messageOnly, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { dealer, KEY, loggerOf, rejection } from '../support/clients.js';
import { ASKED, KEYED, LOST, LOT_READ, placed, reconciled, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** Replies that a cache between the client and the service kept: what is learned from them, and what they may settle. */

const MINUTE = 60_000;
/** The local clock of the tests, Unix ms. */
const LOCAL = NOW;

const httpDate = (ms: number) => new Date(ms).toUTCString();

/** A01 with the time of the service, Unix ms. */
function profile(serverMs: number | undefined, headers: Record<string, string> = {}): Step {
  const data = { client_id: 'cl_7f3a', environment: 'sandbox' };
  const json = serverMs === undefined ? { data } : { data, server_time: iso(serverMs) };
  return { status: 200, json, headers };
}

function expired(serverMs: number, headers: Record<string, string> = {}): Step {
  const json = { success: false, code: 'TIMESTAMP_EXPIRED', message: 'Expired.', data: null, errors: [] };
  return { status: 401, json: { ...json, timestamp: iso(serverMs) }, headers };
}

const withAge = (step: Step, age = '240'): Step =>
  'status' in step ? { ...step, headers: { ...step.headers, age } } : step;

describe('server time', () => {
  const hour = 60 * MINUTE;
  const hit = { 'x-cache': 'Hit from cloudfront' };

  it.each<[what: string, replies: readonly Step[], offsetMs: number | undefined]>([
    ['from a fresh reply', [profile(LOCAL + hour)], hour],
    ['from a fresh reply of age 0', [profile(LOCAL + hour, { age: '0' })], hour + 500],
    ['from the `Date` of a fresh reply', [profile(undefined, { date: httpDate(LOCAL + hour) })], hour + 500],
    ['from a miss', [profile(LOCAL + hour, { 'x-cache': 'Miss from cloudfront' })], hour],
    ['not from a reply of age 240', [profile(LOCAL - 4 * MINUTE, { age: '240' })], undefined],
    ['not from a reply of age 7200', [profile(LOCAL - 2 * hour, { age: '7200' })], undefined],
    ['not from a reply whose age cannot be read', [profile(LOCAL, { age: 'old' })], undefined],
    ['not from a hit', [profile(LOCAL - hour, hit)], undefined],
    [
      'not from the `Date` of a hit',
      [profile(undefined, { ...hit, date: httpDate(LOCAL - hour) })],
      undefined,
    ],
    [
      'not from an error of a cache',
      [messageOnly(404, { ...hit, date: httpDate(LOCAL - hour) }), profile(undefined)],
      undefined,
    ],
    ['not changed by a hit', [profile(LOCAL + hour), profile(LOCAL - hour, hit)], hour],
    ['not changed by ten hits', [profile(LOCAL + hour), ...Array<Step>(10).fill(profile(LOCAL, hit))], hour],
    [
      'not changed by ten unmarked copies',
      [profile(LOCAL + hour), ...Array<Step>(10).fill(profile(LOCAL))],
      hour,
    ],
    [
      'not from a copy with a new `Date`',
      [profile(LOCAL - 4 * MINUTE, { date: httpDate(LOCAL) })],
      undefined,
    ],
    [
      'not from ten of them',
      Array<Step>(10).fill(profile(LOCAL - 4 * MINUTE, { date: httpDate(LOCAL) })),
      undefined,
    ],
    [
      'from a fresh reply after such a copy',
      [profile(LOCAL - 4 * MINUTE, { date: httpDate(LOCAL) }), profile(LOCAL + hour)],
      hour,
    ],
    [
      'from a reply whose `Date` is of the same time, a moment later',
      [profile(LOCAL + hour, { date: httpDate(LOCAL + hour + 2_000) })],
      hour,
    ],
    ['set by the fresh reply after a hit', [profile(LOCAL - hour, hit), profile(LOCAL + hour)], hour],
  ])('is learned %s', async (_, replies, offsetMs) => {
    const { client } = dealer(replies);
    for (const _reply of replies) await client.integration.profile().catch(() => undefined);
    expect(client.clock.offset()?.ms).toBe(offsetMs);
  });

  it('is learned from the second reply behind a proxy whose `Date` is ahead, because it states a later time', async () => {
    const { client, clock } = dealer(
      [0, 1, 2].map((s) => profile(LOCAL + s * 1_000, { date: httpDate(LOCAL + 30_000) })),
    );
    const offsets = [];
    for (let n = 0; n < 3; n += 1) {
      await client.integration.profile();
      offsets.push(client.clock.offset()?.ms);
      await clock.advance(1_000);
    }
    expect(offsets).toEqual([undefined, 0, 0]);
  });

  it('is not corrected by a refused timestamp from a cache; the request is signed and sent once more', async () => {
    const steps = [profile(LOCAL + hour), expired(LOCAL - hour, { age: '7200' }), profile(LOCAL + hour)];
    const lines: string[] = [];
    const { client, transport } = dealer(steps, {
      logger: loggerOf((message) => lines.push(message)),
      logLevel: 'warn',
    });
    await client.integration.profile();
    expect(responseOf(await client.integration.profile()).attempts).toBe(2);
    expect(new Set(transport.sent.map(({ headers }) => headers['X-Timestamp']))).toEqual(
      new Set([String(Math.floor(LOCAL / 1_000)), String(Math.floor((LOCAL + hour) / 1_000))]),
    );
    expect(lines.filter((line) => line.includes('clock of this machine'))).toEqual([]);
  });

  it('is not taken into the error of a refused timestamp from a cache', async () => {
    const steps = Array<Step>(2).fill(expired(LOCAL - hour, { age: '7200' }));
    const { client } = dealer([profile(LOCAL), ...steps]);
    await client.integration.profile();
    const error = await rejection(client.events.get('auc_1'));
    expect(error).toMatchObject({ codes: ['TIMESTAMP_EXPIRED'] });
    expect(Object(error).message).not.toContain('The clock of this machine');
  });
});

describe('a client behind a cache', () => {
  it('logs the first reply of the cache with what shows it, and shows it on every such reply', async () => {
    const lines: unknown[] = [];
    const logger = loggerOf((message, fields) => lines.push([message, Object(fields).cached]));
    const hits = Array<Step>(3).fill(profile(LOCAL, { age: '7' }));
    const { client } = dealer([profile(LOCAL), ...hits], { logger, logLevel: 'warn' });
    const seen: unknown[] = [];
    for (let n = 0; n < 4; n += 1) seen.push(responseOf(await client.integration.profile()).cached);
    expect(seen).toEqual([undefined, 'age: 7', 'age: 7', 'age: 7']);
    const message = 'A cache between this client and the service answered; its replies do not set the clock';
    expect(lines).toEqual([[message, 'age: 7']]);
  });

  it('asks for no cached answer, in reads and in writes, and the option `headers` cannot change that', async () => {
    const { client, transport } = dealer([profile(LOCAL), acceptance()]);
    await client.integration.profile();
    await client.bids.submit('lot_1', { amount: '465000' });
    const asked = transport.sent.map(({ method, headers }) => [method, headers['cache-control']]);
    expect(asked).toEqual([
      ['GET', 'no-cache, no-store'],
      ['POST', 'no-cache, no-store'],
    ]);
    expect(() => dealer([], { headers: { 'Cache-Control': 'max-age=60' } })).toThrow(/headers.Cache-Control/);
  });

  it('does not judge its clock by a copy in `verify()`', async () => {
    const { client } = dealer([profile(LOCAL - 10 * MINUTE, { age: '600' })]);
    const clock = (await client.verify()).find(({ what }) => what === 'clock');
    expect(clock).toMatchObject({ level: 'problem', found: 'a reply from a cache (age: 600)' });
  });
});

describe('a bid behind a cache', () => {
  it.each(['240', '7200'])('is not sent where A01 has age %s: no time is known', async (age) => {
    const copies = Array<Step>(3).fill(profile(LOCAL - Number(age) * 1_000, { age }));
    const { client, transport, clock } = dealer(copies);
    const placing = client.bids.place({ lot: LOT, amount: '465000' });
    await clock.advance(10_000);
    expect(await placing).toMatchObject({ status: 'not_sent' });
    expect(transport.sent.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
  });

  it('leaves once the service itself answers A01', async () => {
    const copies = Array<Step>(2).fill(profile(LOCAL - 4 * MINUTE, { age: '240' }));
    const { client, clock } = dealer([...copies, profile(LOCAL), acceptance()]);
    const placing = client.bids.place({ lot: LOT, amount: '465000' });
    await clock.advance(10_000);
    expect(await placing).toMatchObject({ status: 'accepted' });
  });

  it.each<[string, Record<string, string>]>([
    ['marked', { age: '240' }],
    ['unmarked', {}],
  ])('does not leave after its placeBy where later replies are %s copies', async (_, headers) => {
    const copies = Array<Step>(5).fill(profile(LOCAL - 4 * MINUTE, headers));
    const { client, transport, clock } = dealer([profile(LOCAL), ...copies, acceptance()]);
    for (let n = 0; n < 6; n += 1) await client.integration.profile();
    await clock.advance(21_000);
    const outcome = await client.bids.place({ lot: LOT, amount: '465000', placeBy: LOCAL + 20_000 });
    expect(outcome).toMatchObject({ status: 'not_sent', reason: 'deadline' });
    expect(transport.sent.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('is not sent after its placeBy where A01 is a copy with a new `Date`', async () => {
    const copies = Array.from({ length: 3 }, (_, n) =>
      profile(LOCAL - 4 * MINUTE, { date: httpDate(LOCAL + 21_000 + n * 1_000) }),
    );
    const { client, transport, clock } = dealer([...copies, acceptance()]);
    await clock.advance(21_000);
    const placing = client.bids.place({ lot: LOT, amount: '465000', placeBy: LOCAL + 20_000 });
    await clock.advance(10_000);
    expect(await placing).toMatchObject({ status: 'not_sent' });
    expect(transport.sent.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
  });

  it('or a command leaves at the second reading of A01 behind a proxy whose `Date` is ahead', async () => {
    const ahead = (ms: number) => profile(LOCAL + ms, { date: httpDate(LOCAL + 30_000) });
    const { client, transport, clock } = dealer([ahead(0), ahead(1_000), acceptance()]);
    const submitting = client.bids.submit(LOT, { amount: '465000' });
    await clock.advance(3_000);
    expect(await submitting).toMatchObject({ status: 'accepted' });
    expect(transport.sent.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
  });

  it('is not refused by an absence from a cache, and by the fresh one after it', async () => {
    const bare = messageOnly(403);
    const found = await placed([bare, withAge(lookup('absent')), lookup('absent')], { options: KEYED });
    expect(found).toMatchObject({ status: 'refused', lines: [SENT, ASKED, ASKED] });
    expect(found.log).toEqual(['placed', 'attempt', 'uncoded', 'lookup', 'lookup']);
    const { timeline } = await found.client.intents.explain(KEY);
    expect(timeline.map(({ what }) => what)).toContain(
      'lookup (A06): failed (a cache answered "absent" (age: 240))',
    );
  });

  it.each(['absent', 'processing'])('is unknown while a cache answers "%s"', async (state) => {
    const copies = Array<Step>(9).fill(withAge(lookup(state)));
    expect(await placed([messageOnly(403), ...copies])).toMatchObject({ status: 'unknown', state: 'sent' });
  });

  it.each(['accepted', 'rejected'])(
    'is %s where a copy says so: a verdict under its key does not change',
    async (state) => {
      const options = { ...KEYED, maxAttempts: 1 };
      const found = await placed([LOST, withAge(lookup(state))], { options });
      expect(found).toMatchObject({ status: state, state });
    },
  );

  it.each<[string, Step]>([
    ['an acceptance', acceptance()],
    ['a refusal', messageOnly(404)],
  ])(
    'is looked up where a cache answered the bid itself with %s, which may be of another bid',
    async (_, reply) => {
      const found = await placed([withAge(reply), lookup('accepted')]);
      expect(found).toMatchObject({ status: 'accepted', lines: [SENT, ASKED] });
      expect(found.log).toEqual(['placed', 'attempt', 'unknown', 'lookup']);
    },
  );

  it('is not given up because a copy of the lot shows a close that has passed', async () => {
    const closed = withAge(lotStatus(NOW - 1));
    const found = await placed([html(403), lookup('absent'), closed, acceptance()]);
    expect(found).toMatchObject({ status: 'accepted', lines: [SENT, ASKED, LOT_READ, SENT] });
  });

  it('is settled later, by a fresh lookup', async () => {
    const scene = new Scene();
    await placed([LOST, ...Array<Step>(9).fill(withAge(lookup('absent')))], {
      scene,
      options: { ...KEYED, maxAttempts: 1 },
    });
    expect(await reconciled(scene, [lookup('accepted')])).toMatchObject({ status: 'accepted' });
  });
});

describe('a bid whose refused timestamp corrects server time', () => {
  /** The first reply states another time, and nothing shows that it is a copy. */
  async function placedAfter(wrongMs: number, bid: object = {}) {
    const { client, clock } = dealer([
      profile(LOCAL + wrongMs),
      expired(LOCAL),
      acceptance(),
      lookup('absent'),
    ]);
    const placing = client.bids.place({ lot: LOT, amount: '465000', ...bid }, KEYED);
    await clock.advance(90_000);
    const outcome = await placing;
    const { placeBy } = (await client.intents.get(KEY)) ?? {};
    const { timeline } = await client.intents.explain(KEY);
    return { outcome, placeBy, words: timeline.map(({ what }) => what).join('\n') };
  }

  it.each([
    ['behind', -10 * MINUTE, 'by 600000 ms'],
    ['ahead', 10 * MINUTE, 'by -600000 ms'],
  ])('leaves within two minutes of the corrected time, where it was %s', async (_, wrongMs, byMs) => {
    const { outcome, placeBy, words } = await placedAfter(wrongMs);
    expect([outcome.status, placeBy]).toEqual(['accepted', LOCAL + 2 * MINUTE]);
    const until = `may be sent until ${iso(LOCAL + 2 * MINUTE)}`;
    expect(words).toContain(`server time corrected ${byMs}; ${until}`);
  });

  it('keeps a placeBy that was given, and a known close', async () => {
    const given = await placedAfter(10 * MINUTE, { placeBy: LOCAL + 11 * MINUTE });
    expect([given.outcome.status, given.placeBy]).toEqual(['accepted', LOCAL + 11 * MINUTE]);
    const close = { lot_id: LOT, effective_close_at: iso(LOCAL - 9 * MINUTE) };
    const closed = await placedAfter(-10 * MINUTE, { lot: close });
    expect([closed.outcome.status, closed.placeBy]).toEqual(['unknown', LOCAL - 9 * MINUTE]);
    expect(closed.words).not.toContain('corrected');
  });
});

describe('a command behind a cache', () => {
  it('is unknown where the cache answered it, and says to send the same again', async () => {
    const reply: Step = {
      status: 200,
      json: { data: { id: 'sal_1', resource_version: 2 }, request_id: 'req_2' },
    };
    const { client } = dealer([profile(LOCAL), withAge(reply)]);
    const body = { terms_version: 't1', expected_version: 1 };
    const error = await rejection(client.saleCases.acknowledge('sal_1', body));
    expect(error).toMatchObject({
      name: 'UnexpectedResponseError',
      reason: 'other_request',
      outcome: 'unknown',
    });
  });
});
