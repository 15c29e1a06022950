import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Sandbox,
  type SandboxCredentials,
  type SandboxOptions,
  startSandbox,
} from '../../../src/sandbox/index.js';
import { get, onManualClock, send } from '../caller.js';
import { command } from '../workflow.js';
import { everyType, listening, Receiver, signatureOf } from './receivers.js';

let receiver: Receiver;
let sandbox: Sandbox;
const start = async (options: SandboxOptions = {}) => {
  receiver = new Receiver();
  sandbox = await onManualClock({
    webhooks: { send: receiver.send },
    variants: { 'webhook-operative': 'on' },
    ...options,
  });
};
beforeEach(() => start());
afterEach(() => sandbox.close());

async function restart(options: SandboxOptions) {
  await sandbox.close();
  await start(options);
}

const path = '/api/v1/webhook-subscriptions';
const body = { name: 'Winners', url: 'https://dealer.example/hooks', events: ['sale.approved'] };
const subscribe = (change: Record<string, unknown> = {}, who = sandbox.credentials.dealer) =>
  command(sandbox, who, path, { ...body, ...change });
const states = () => sandbox.webhooks.subscriptions().map(({ state }) => state);

describe('A13, a subscription', () => {
  // rule: version.6
  it('is not callable, as it is listed, and says what would open it', async () => {
    await restart({ variants: {} });
    const got = await subscribe();
    expect([got.status, Object.keys(got.json)]).toEqual([404, ['message']]);
    expect(got.json.message).toContain("'webhook-operative': 'on'");
    expect(got.json.message).toContain('not callable');
    expect(sandbox.webhooks.subscriptions()).toEqual([]);
    expect(sandbox.ledger()).toEqual([]);
    const capabilities = () => get(sandbox, sandbox.credentials.dealer, '/api/v1/integration/capabilities');
    expect((await capabilities()).json.data.webhooks).toEqual({ enabled: false });
    await restart({});
    expect((await capabilities()).json.data.webhooks).toEqual({ enabled: true });
  });

  it.each(['dealer', 'platform', 'bank'] as const)('is made, literally, by the %s', async (who) => {
    const got = await subscribe({}, sandbox.credentials[who]);
    expect([got.status, got.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect(got.json).toEqual({
      data: {
        id: expect.stringMatching(/^whs_/),
        kind: 'webhook_subscription',
        state: 'pending_verification',
        resource_version: 1,
        data: { ...body, secret: expect.stringMatching(/^whsec_[0-9a-f]{24}$/) },
        created_at: '2026-03-01T10:00:00.000Z',
        updated_at: '2026-03-01T10:00:00.000Z',
      },
      request_id: expect.any(String),
      server_time: '2026-03-01T10:00:00.000Z',
    });
    const { signingSecret, clientId } = sandbox.credentials[who];
    expect(got.json.data.data.secret).not.toBe(signingSecret);
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.subscriptions()).toEqual([
      { id: got.json.data.id, clientId, ...body, state: 'active' },
    ]);
    expect(sandbox.ledger()).toMatchObject([{ kind: 'webhook_subscription', operation: 'A13', clientId }]);
  });

  it('is made once under its key; a resend does not show the secret again', async () => {
    const { dealer, rival } = sandbox.credentials;
    const key = randomUUID();
    const text = JSON.stringify({ ...body, idempotency_key: key });
    const post = (sent: string, who: SandboxCredentials = dealer, header = key) =>
      send(sandbox, who, { path, body: sent, headers: { 'Idempotency-Key': header } });
    const first = await post(text);
    const second = await post(text);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const { secret: _, ...rest } = first.json.data.data;
    expect(second.json.data).toEqual({ ...first.json.data, data: rest });
    const changed = await post(`${text} `);
    expect([changed.status, changed.json.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    const unequal = await post(text, dealer, randomUUID());
    expect([unequal.status, unequal.json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REQUIRED']);
    expect(sandbox.webhooks.subscriptions()).toHaveLength(1);
    expect((await post(text, rival)).json.data.id).not.toBe(first.json.data.id);
    expect(sandbox.ledger()).toHaveLength(2);
    await sandbox.webhooks.settled();
    expect(receiver.got).toHaveLength(2);
  });

  it.each([
    ['no name', { name: '' }, 'name'],
    ['no URL', { url: undefined }, 'url'],
    ['plain HTTP', { url: 'http://dealer.example/' }, 'url'],
    ['a URL with a password', { url: 'https://a:b@dealer.example/' }, 'url'],
    ['a script', { url: 'javascript:alert(1)' }, 'url'],
    ['no events', { events: [] }, 'events'],
    ['an event that there is none of', { events: ['sale.approved', 'sale.dreamt'] }, 'events'],
    ['the challenge as an event', { events: ['webhook.endpoint_verification'] }, 'events'],
    ['events of another kind', { events: 'sale.approved' }, 'events'],
    ['a key that is none', { idempotency_key: 'none' }, 'idempotency_key'],
  ])('is refused with %s, and nothing has changed', async (_, change, field) => {
    const got = await subscribe(change);
    expect(got.status).toBe(422);
    if (field === 'idempotency_key') expect(got.json.errors).toBeDefined();
    else expect(Object.keys(got.json.errors)).toEqual([field]);
    expect(sandbox.webhooks.subscriptions()).toEqual([]);
    expect(sandbox.ledger()).toEqual([]);
    await sandbox.webhooks.settled();
    expect(receiver.got).toEqual([]);
  });

  it.each(['https://127.0.0.1/', 'https://[::1]/', 'https://10.1/', 'https://169.254.169.254/'])(
    'is refused where %s leads, unless private addresses are asked for',
    async (url) => {
      await restart({ variants: { 'webhook-operative': 'on' }, webhooks: {} });
      const got = await subscribe({ url });
      expect([got.status, Object.keys(got.json.errors)]).toEqual([422, ['url']]);
      expect(sandbox.webhooks.subscriptions()).toEqual([]);
    },
  );

  it('may be without TLS where the sandbox was asked to allow it', async () => {
    const server = await listening((_, response, text) => {
      response.end(JSON.stringify({ challenge: JSON.parse(text).challenge }));
    });
    await restart({ variants: { 'webhook-operative': 'on' }, webhooks: { allowPrivate: true } });
    expect((await subscribe({ url: server.url })).status).toBe(200);
    await sandbox.webhooks.settled();
    expect(states()).toEqual(['active']);
    expect((await subscribe({ url: 'ftp://127.0.0.1/' })).status).toBe(422);
    await server.close();
  });

  it('needs the scope', async () => {
    const { dealer } = sandbox.credentials;
    sandbox.partners.update(dealer.clientId, { scopes: ['sales:read'] });
    const got = await subscribe();
    expect([got.status, got.json.code]).toEqual([403, 'SCOPE_DENIED']);
    expect(sandbox.webhooks.subscriptions()).toEqual([]);
  });
});

describe('a subscription by hand', () => {
  it('works whatever A13 says, for credentials or a client id', async () => {
    await restart({ variants: {} });
    const { dealer, bank } = sandbox.credentials;
    const one = sandbox.webhooks.subscribe({ who: dealer, url: body.url, events: everyType });
    const two = sandbox.webhooks.subscribe({
      clientId: bank.clientId,
      url: body.url,
      events: ['sale.approved', 'sale.approved'],
      name: 'Ours',
    });
    await sandbox.webhooks.settled();
    expect(Object.keys(one)).toEqual(['id', 'secret']);
    expect(sandbox.webhooks.subscriptions()).toEqual([
      {
        id: one.id,
        clientId: dealer.clientId,
        name: 'by hand',
        url: body.url,
        events: everyType,
        state: 'active',
      },
      {
        id: two.id,
        clientId: bank.clientId,
        name: 'Ours',
        url: body.url,
        events: ['sale.approved'],
        state: 'active',
      },
    ]);
  });

  it.each([
    ['a client', { clientId: 'client_none' }, 'the sandbox has no client "client_none"'],
    ['a URL', { url: 'nowhere' }, 'The URL must be an https URL.'],
    ['an event', { events: ['sale.dreamt'] }, 'not sale.dreamt'],
    ['events', { events: [] }, 'not none'],
  ])('is refused without %s that there is', (_, change, message) => {
    const wanted = {
      clientId: sandbox.credentials.dealer.clientId,
      url: body.url,
      events: ['sale.approved'],
    };
    expect(() => sandbox.webhooks.subscribe({ ...wanted, ...change })).toThrow(message);
    expect(() => sandbox.webhooks.subscribe({ ...wanted, ...change })).toThrow(RangeError);
    expect(sandbox.webhooks.subscriptions()).toEqual([]);
  });

  it('options that can not be meant are refused', async () => {
    for (const webhooks of [{ allowPrivate: 1 }, { send: 'x' }, { secret: 's' }]) {
      await expect(startSandbox({ webhooks } as never)).rejects.toThrow(RangeError);
    }
  });
});

describe('the challenge', () => {
  const subscribeByHand = async () => {
    const { dealer } = sandbox.credentials;
    const made = sandbox.webhooks.subscribe({ who: dealer, url: body.url, events: ['sale.approved'] });
    await sandbox.webhooks.settled();
    return made;
  };

  // rule: delivery.6
  it('is a signed event with the challenge at its top', async () => {
    const { secret } = await subscribeByHand();
    const [got] = receiver.got;
    if (got === undefined) throw new Error('nothing came');
    expect(got.headers.get('service-signature')).toBe(signatureOf(secret, got));
    const challenge = expect.stringMatching(/^challenge_/);
    expect(got.event).toEqual({
      id: got.headers.get('service-event-id'),
      type: 'webhook.endpoint_verification',
      schema_version: 1,
      created_at: '2026-03-01T10:00:00.000Z',
      data: {},
      challenge,
    });
    expect(states()).toEqual(['active']);
  });

  // rule: delivery.6
  it.each<[string, (challenge: string) => Response, string]>([
    ['another text', () => Response.json({ challenge: 'other' }), 'unverified'],
    ['none', () => Response.json({}), 'unverified'],
    ['it in an object', (challenge) => Response.json({ data: { challenge } }), 'unverified'],
    ['it in a list', (challenge) => Response.json([challenge]), 'unverified'],
    ['it as bare text', (challenge) => new Response(challenge), 'unverified'],
    ['null', () => Response.json(null), 'unverified'],
    ['no body', () => new Response(null, { status: 204 }), 'unverified'],
    ['it with a 201', (challenge) => Response.json({ challenge, more: 1 }, { status: 201 }), 'acknowledged'],
    ['it with a 400', (challenge) => Response.json({ challenge }, { status: 400 }), 'refused'],
    ['it with a 302', (challenge) => Response.json({ challenge }, { status: 302 }), 'refused'],
    ['it with a 503', (challenge) => Response.json({ challenge }, { status: 503 }), 'refused'],
    [
      'it behind too much',
      (challenge) => new Response(`${' '.repeat(70_000)}{"challenge":"${challenge}"}`),
      'unverified',
    ],
  ])('answered with %s is judged, once', async (_, toChallenge, outcome) => {
    receiver.toChallenge = toChallenge;
    await subscribeByHand();
    expect(states()).toEqual([outcome === 'acknowledged' ? 'active' : 'pending_verification']);
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { state: outcome === 'acknowledged' ? 'delivered' : 'failed', attempts: [{ outcome }] },
    ]);
    sandbox.clock.advance(86_400_000);
    await sandbox.webhooks.settled();
    expect(receiver.got).toHaveLength(1);
  });

  // rule: delivery.6
  it('is what verifies: an event that is acknowledged does not', async () => {
    receiver.toChallenge = () => new Response(null, { status: 500 });
    const { id } = await subscribeByHand();
    const [made] = sandbox.webhooks.send({ subscriptionId: id, type: 'sale.approved', data: {} });
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries().at(-1)).toMatchObject({ id: made?.id, state: 'delivered' });
    expect(states()).toEqual(['pending_verification']);
  });

  it('is tried again by hand, with another text, until it is answered', async () => {
    receiver.toChallenge = () => new Response(null, { status: 500 });
    const { id } = await subscribeByHand();
    receiver.toChallenge = undefined;
    sandbox.webhooks.verify(id);
    await sandbox.webhooks.settled();
    expect(states()).toEqual(['active']);
    const [first, second] = receiver.got;
    expect(second?.event.challenge).not.toBe(first?.event.challenge);
    expect(second?.event.id).not.toBe(first?.event.id);
    expect(() => sandbox.webhooks.verify(id)).toThrow('is active already');
    expect(() => sandbox.webhooks.verify('whs_none')).toThrow(RangeError);
    const [challenge] = sandbox.webhooks.deliveries();
    expect(() => sandbox.webhooks.replay(challenge?.id ?? '')).toThrow(RangeError);
  });
});
