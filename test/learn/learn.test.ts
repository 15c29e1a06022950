import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import { learn } from '../../src/learn/learn.js';
import { merged, parseProfileFile } from '../../src/learn/profile.js';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { credentials } from '../support/clients.js';
import { listen } from '../support/loopback.js';
import { answers, learnedFrom } from './deployments.js';

async function inSandbox(options: SandboxOptions = {}) {
  const sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-01T10:00:00Z',
    rateLimit: false,
    ...options,
  });
  return { ...sandbox, [Symbol.asyncDispose]: () => sandbox.close() };
}

/** A dealer's client of a hand-made server: JSON and status by path, 404 for anything else. */
async function handMade(
  replies: Readonly<Record<string, readonly [status: number, body: unknown]>>,
  limit = Number.POSITIVE_INFINITY,
) {
  const server = await listen(
    createServer((request, response) => {
      const path = (request.url ?? '').replace('/api/v1', '');
      const known = replies[path] ?? replies[path.replace(/[?].*|[0-9a-f-]{36}$/, '')];
      const [status, body] = known ?? [404, { message: 'Not Found' }];
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    }),
  );
  const client = new PartnerClient({
    environment: 'sandbox',
    baseUrl: server.baseUrl,
    credentials,
    partnerType: 'direct_dealer',
    dealerId: 'D-7',
    quota: { limit },
    maxAttempts: 1,
    logLevel: 'off',
  });
  return {
    server,
    client,
    learned: () => learn(client, { origin: server.baseUrl }),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const operations = [{ id: 'A06', method: 'GET', path: '/api/v1/bid-requests/{idempotency_key}' }];
const identity = [200, { data: { environment: 'sandbox', actor_type: 'partner', operations } }] as const;

it('A sandbox confirms what the SDK assumes', async () => {
  await using sandbox = await inSandbox();
  expect(answers(await learnedFrom(sandbox, 'dealer'))).toMatchObject({
    'lookup-unknown-key: state of an unused key': 'confirmed | absent',
    'page-past-the-end: page past the last': 'confirmed | an empty page',
    'webhook-operative: webhooks.enabled': 'confirmed | false',
  });
});

it('A sandbox that answers otherwise refutes the assumption', async () => {
  await using sandbox = await inSandbox({
    variants: { 'lookup-unknown-key': 'not-found', 'webhook-operative': 'on' },
  });
  expect(answers(await learnedFrom(sandbox, 'dealer'))).toMatchObject({
    'lookup-unknown-key: state of an unused key': 'refuted | 404',
    'webhook-operative: webhooks.enabled': 'refuted | true',
  });
});

it('Observations that contradict each other leave a question open', async () => {
  const page = { data: [], current_page: 1, last_page: 2, total: 30 };
  await using service = await handMade({
    '/integration/profile': identity,
    '/events?status=all': [200, page],
    '/events?page=9&status=all': [
      422,
      { message: 'The given data was invalid.', errors: { page: ['too far'] } },
    ],
    '/lots': [200, page],
  });
  expect(answers(await service.learned())).toMatchObject({
    'page-past-the-end: page past the last': 'still open | 422 | an empty page',
    'webhook-operative: webhooks.enabled': 'still open',
  });
});

it('A failing service settles nothing', async () => {
  const failing = [503, { message: 'Service Unavailable' }] as const;
  await using service = await handMade({
    '/integration/profile': identity,
    '/integration/capabilities': failing,
    '/bid-requests/': failing,
    '/events': failing,
    '/lots': failing,
  });
  const { rows } = await service.learned();
  expect(rows.filter(({ verdict }) => verdict !== 'still open')).toEqual([]);
});

it('Requests keep within the share of the quota, and end in time', async () => {
  const times: number[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    after: (ms: number, callback: () => void) => {
      now += ms;
      setImmediate(callback);
      return () => undefined;
    },
  };
  await using service = await handMade({ '/integration/profile': identity }, 120);
  const client = service.client.withOptions({ onRequest: () => times.push(now) });
  await learn(client, { origin: service.server.baseUrl, clock, share: 0.1, within: 11_000 });
  // A minute and its margin, of which a tenth of 120 requests may be used.
  expect(times.map(Math.round)).toEqual([0, 0, 5_084, 10_167]);
});

it('A later run reports what has changed, and keeps what it could not observe', async () => {
  await using sandbox = await inSandbox();
  const first = parseProfileFile(JSON.stringify(await learnedFrom(sandbox, 'dealer')));
  await using other = await inSandbox({ variants: { 'webhook-operative': 'on' } });
  const now = await learnedFrom(other, 'bank');
  const { profile, drift } = merged({ ...first, origin: now.origin }, now);
  expect(drift).toEqual([
    { id: 'webhook-operative', question: 'webhooks.enabled', before: ['false'], now: ['true'] },
  ]);
  expect(answers(profile)).toMatchObject({
    'lookup-unknown-key: state of an unused key': 'confirmed | absent',
    'webhook-operative: webhooks.enabled': 'refuted | true',
  });
  expect(() => merged(first, now)).toThrow('another deployment');
  expect(() => parseProfileFile('{}')).toThrow('is not a file that "learn" has written');
});

it('Writes are refused where the service does not call itself a sandbox', async () => {
  await using service = await handMade({
    '/integration/profile': [200, { data: { environment: 'production', actor_type: 'partner' } }],
  });
  await expect(learn(service.client, { origin: service.server.baseUrl, allowWrites: true })).rejects.toThrow(
    'is only for a sandbox',
  );
  expect(service.server.requests).toEqual(['GET /api/v1/integration/profile']);
});
