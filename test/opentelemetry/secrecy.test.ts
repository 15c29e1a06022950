import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, expect, it } from 'vitest';
import type { PartnerClient } from '../../src/index.js';
import { instrument } from '../../src/opentelemetry/index.js';
import { Scene } from '../support/bidders.js';
import { KEY, SECRET } from '../support/clients.js';
import { once } from '../support/scripted-transport.js';
import { formsOf } from '../support/secrecy.js';
import { thoroughly } from '../support/thorough.js';
import { Telemetry } from './scrape.js';

const telemetry = new Telemetry();
afterAll(() => telemetry.end());

const TEXTS = thoroughly(10_000, 50_000);

const AMOUNT = '987654321.00';
const statuses = [200, 201, 400, 401, 403, 404, 409, 422, 500, 503];

/** A reply that repeats a text wherever a reply can have one. */
function echo(text: string, n: number) {
  const status = statuses[n % statuses.length] ?? 200;
  const record = { id: text, state: text, bid_id: text, request_id: text, status: text, amount: AMOUNT };
  const json = {
    ...{ success: status < 300, code: text, message: text, errors: { [text]: [text] }, request_id: text },
    data: n % 2 === 0 ? { ...record, [text]: text } : [record],
  };
  const headers = {
    'x-request-id': text,
    'content-type': text,
    location: text,
    via: text,
    'retry-after': text,
  };
  return { status, headers, body: once(JSON.stringify(json)), discard: () => undefined };
}

/** Calls of one round, each with one request. */
function callsOf(client: PartnerClient<'direct_dealer'>, round: number): readonly Promise<unknown>[] {
  const limits = { maxAttempts: 1 };
  return Array.from({ length: 15 }, (_, n) => [
    client.events.get('auc_1', limits),
    client.bids.lookup(KEY, limits),
    client.bids.submit(`lot_${round}_${n}`, { amount: AMOUNT }, limits),
    client.lots.list({ page: 2 }, limits).firstPage(),
  ]).flat();
}

/** Every text of a span that an exporter sends. */
function textsOf({ name, attributes, events, links, status, instrumentationScope }: ReadableSpan): string[] {
  const pairs = [attributes, ...[...events, ...links].map((one) => one.attributes ?? {})].flatMap(
    Object.entries,
  );
  const texts = [name, status.message ?? '', instrumentationScope.name, ...events.map((event) => event.name)];
  return [...texts, ...pairs.flatMap(([key, value]) => [key, String(value)])].filter((text) => text !== '');
}

it(`${TEXTS} exported texts hold no secret, signature or amount, against a service that repeats them everywhere`, async () => {
  const scene = new Scene();
  const { client, transport } = scene.dealer([], {
    quota: { scope: 'client', limit: Number.POSITIVE_INFINITY },
  });
  instrument(client);
  const secrets = [...Object.values(formsOf(SECRET)), AMOUNT];
  let signatures: string[] = [];
  let turn = 0;
  transport.send = async ({ headers }) => {
    const signature = headers['X-Signature'] ?? '';
    signatures.push(signature);
    const echoed = [...Object.values(formsOf(SECRET)), signature, signature.toUpperCase()];
    turn += 1;
    return echo(echoed[turn % echoed.length] ?? '', turn);
  };
  let count = 0;
  let redacted = 0;
  for (let round = 0; count < TEXTS; round += 1) {
    signatures = [];
    await scene.during(Promise.allSettled(callsOf(client, round)));
    const texts = telemetry.spans.getFinishedSpans().flatMap(textsOf);
    telemetry.spans.reset();
    const hidden = [...secrets, ...signatures].map((one) => one.toLowerCase());
    const exported = texts.join('\n').toLowerCase();
    expect(hidden.filter((one) => exported.includes(one))).toEqual([]);
    count += texts.length;
    redacted += texts.filter((text) => text.includes('[redacted]')).length;
  }
  const scrape = await telemetry.scrape();
  for (const secret of secrets) expect(scrape).not.toContain(secret);
  // The texts of the service do reach the exporter.
  expect(redacted).toBeGreaterThan(100);
});
