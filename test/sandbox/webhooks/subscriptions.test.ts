import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.js';
import { get, onManualClock } from '../caller.js';
import { command } from '../workflow.js';
import { Receiver, signatureOf } from './receivers.js';

let receiver: Receiver;
let sandbox: Sandbox;
const start = async (options: SandboxOptions = {}) => {
  await sandbox?.close();
  receiver = new Receiver();
  sandbox = await onManualClock({ webhooks: { send: receiver.send }, ...options });
};
afterEach(() => sandbox.close());

const on: SandboxOptions = { variants: { 'webhook-operative': 'on' } };
const path = '/api/v1/webhook-subscriptions';
const body = { name: 'Winners', url: 'https://dealer.example/hooks', events: ['sale.approved'] };
const subscriptions = () => sandbox.webhooks.subscriptions();

describe('A13, a subscription', () => {
  beforeEach(() => start(on));
  const subscribe = (change: Record<string, unknown> = {}, who = sandbox.credentials.dealer) =>
    command(sandbox, who, path, { ...body, ...change });

  // rule: version.6
  it('is not callable unless a variant opens it, and A02 says so', async () => {
    const capabilities = async () =>
      (await get(sandbox, sandbox.credentials.dealer, '/api/v1/integration/capabilities')).json.data.webhooks;
    expect(await capabilities()).toEqual({ enabled: true });
    await start();
    expect(await capabilities()).toEqual({ enabled: false });
    const got = await subscribe();
    expect([got.status, Object.keys(got.json), subscriptions()]).toEqual([404, ['message'], []]);
    expect(got.json.message).toContain("'webhook-operative': 'on'");
  });

  it.each(['dealer', 'platform', 'bank'] as const)('is made, literally, by the %s', async (name) => {
    const who = sandbox.credentials[name];
    const { status, json } = await subscribe({}, who);
    const at = '2026-03-01T10:00:00.000Z';
    const { id } = json.data;
    const secret = expect.stringMatching(/^whsec_[0-9a-f]{24}$/);
    expect([status, json]).toEqual([
      200,
      {
        data: {
          ...{ id: expect.stringMatching(/^whs_/), kind: 'webhook_subscription', resource_version: 1 },
          ...{ state: 'pending_verification', data: { ...body, secret }, created_at: at, updated_at: at },
        },
        ...{ request_id: expect.any(String), server_time: at },
      },
    ]);
    await sandbox.webhooks.settled();
    const { clientId } = who;
    expect(subscriptions()).toEqual([{ id, clientId, ...body, state: 'active' }]);
    expect(sandbox.ledger()).toMatchObject([{ kind: 'webhook_subscription', operation: 'A13', clientId }]);
  });

  it('is made once under its key; a resend does not show the secret again', async () => {
    const idempotency_key = randomUUID();
    const first = (await subscribe({ idempotency_key })).json.data;
    const second = await subscribe({ idempotency_key });
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const { secret: _, ...rest } = first.data;
    expect(second.json.data).toEqual({ ...first, data: rest });
    await sandbox.webhooks.settled();
    expect([subscriptions().length, sandbox.ledger().length, receiver.got.length]).toEqual([1, 1, 1]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ name: '' }, 'name'],
    [{ url: undefined }, 'url'],
    [{ url: 'http://dealer.example/' }, 'url'],
    [{ url: 'https://a:b@dealer.example/' }, 'url'],
    [{ url: 'javascript:alert(1)' }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['sale.approved', 'sale.dreamt'] }, 'events'],
    [{ events: ['webhook.endpoint_verification'] }, 'events'],
    [{ events: 'sale.approved' }, 'events'],
    [{ idempotency_key: 'none' }, 'idempotency_key'],
  ])('with %o is a 422 for %s, and nothing has changed', async (change, field) => {
    const got = await subscribe(change);
    expect([got.status, Object.keys(got.json.errors)]).toEqual([422, [field]]);
    await sandbox.webhooks.settled();
    expect([subscriptions(), sandbox.ledger(), receiver.got]).toEqual([[], [], []]);
  });
});

describe('a subscription by hand', () => {
  beforeEach(() => start());
  const { url } = body;

  it.each<[Record<string, unknown>, string]>([
    [{ who: { clientId: 'client_none' } }, 'client_none'],
    [{ url: 'nowhere' }, 'URL'],
    [{ events: ['sale.dreamt'] }, 'sale.dreamt'],
    [{ events: [] }, 'none'],
  ])('is refused with %o, which is named', (change, named) => {
    const { clientId } = sandbox.credentials.dealer;
    const subscribe = () =>
      sandbox.webhooks.subscribe({ who: { clientId }, url, events: ['sale.approved'], ...change });
    expect(subscribe).toThrow(RangeError);
    expect(subscribe).toThrow(named);
    expect(subscriptions()).toEqual([]);
  });

  it.each([{ allowPrivate: 1 }, { send: 'x' }, { secret: 's' }])('has no option %o', async (webhooks) => {
    await expect(startSandbox({ webhooks } as never)).rejects.toThrow(RangeError);
  });
});

describe('the challenge', () => {
  beforeEach(() => start());
  const subscribed = async () => {
    const { dealer } = sandbox.credentials;
    const made = sandbox.webhooks.subscribe({ who: dealer, url: body.url, events: body.events });
    await sandbox.webhooks.settled();
    return made;
  };
  const state = () => subscriptions()[0]?.state;

  // rule: delivery.6
  it('is a signed event with the challenge at its top', async () => {
    const { secret } = await subscribed();
    const [got] = receiver.got;
    if (got === undefined) throw new Error('nothing came');
    expect(got.headers.get('service-signature')).toBe(signatureOf(secret, got));
    expect(got.event).toEqual({
      ...{
        id: got.headers.get('service-event-id'),
        type: 'webhook.endpoint_verification',
        schema_version: 1,
      },
      ...{
        created_at: '2026-03-01T10:00:00.000Z',
        data: {},
        challenge: expect.stringMatching(/^challenge_/),
      },
    });
    expect(state()).toBe('active');
  });

  const answers: Record<string, (challenge: string) => [outcome: string, body: unknown, status?: number]> = {
    'another text': () => ['unverified', { challenge: 'other' }],
    'an empty object': () => ['unverified', {}],
    'it in an object': (challenge) => ['unverified', { data: { challenge } }],
    'it in a list': (challenge) => ['unverified', [challenge]],
    'it as bare text': (challenge) => ['unverified', challenge],
    null: () => ['unverified', null],
    'it with a 201': (challenge) => ['acknowledged', { challenge, more: 1 }, 201],
    'it with a 400': (challenge) => ['refused', { challenge }, 400],
    'it with a 302': (challenge) => ['refused', { challenge }, 302],
    'it with a 503': (challenge) => ['refused', { challenge }, 503],
    'it before too much': (challenge) => ['unverified', { challenge, more: 'x'.repeat(70_000) }],
  };
  // rule: delivery.6
  it.each(Object.entries(answers))('answered with %s is judged, once', async (_, answer) => {
    receiver.toChallenge = (challenge) => {
      const [, content, status = 200] = answer(challenge);
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      return new Response(text, { status });
    };
    await subscribed();
    const [outcome] = answer('');
    const verified = outcome === 'acknowledged';
    expect(state()).toBe(verified ? 'active' : 'pending_verification');
    const attempts = [{ outcome }];
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      { state: verified ? 'delivered' : 'failed', attempts },
    ]);
    sandbox.clock.advance(86_400_000);
    await sandbox.webhooks.settled();
    expect(receiver.got).toHaveLength(1);
  });

  // rule: delivery.6
  it('verifies alone, not an event that is acknowledged, and is tried again by hand with another text', async () => {
    receiver.toChallenge = () => new Response(null, { status: 204 });
    const { id } = await subscribed();
    sandbox.webhooks.send({ subscriptionId: id, type: 'sale.approved', data: {} });
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries().at(-1)).toMatchObject({ type: 'sale.approved', state: 'delivered' });
    expect(state()).toBe('pending_verification');
    receiver.toChallenge = undefined;
    sandbox.webhooks.verify(id);
    await sandbox.webhooks.settled();
    expect(state()).toBe('active');
    const [first, , second] = receiver.got;
    expect(second?.event.challenge).not.toBe(first?.event.challenge);
    expect(second?.event.id).not.toBe(first?.event.id);
    expect(() => sandbox.webhooks.verify(id)).toThrow();
    expect(() => sandbox.webhooks.verify('whs_none')).toThrow(RangeError);
    const [challenge] = sandbox.webhooks.deliveries();
    expect(() => sandbox.webhooks.replay(challenge?.id ?? '')).toThrow(RangeError);
  });
});
