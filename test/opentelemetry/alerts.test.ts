import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { program } from '../../src/cli/run.js';
import { instrument } from '../../src/opentelemetry/index.js';
import { acceptance, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { event } from '../support/clients.js';
import { BID, KEYED } from '../support/placed-bids.js';
import { root, textOf } from '../support/sources.js';
import { receiverWith, saleApproved } from '../webhooks/delivery.js';
import { namesIn, Telemetry } from './scrape.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly run: string };
}

const RULES = 'docs/telemetry/alerts.yml';
const rules: readonly Rule[] = parse(textOf(RULES)).groups.flatMap((group: { rules: Rule[] }) => group.rules);
const dashboard: { readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[] } =
  JSON.parse(textOf('docs/telemetry/grafana.json'));
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => ['dashboard', expr] as const)),
];

const telemetry = new Telemetry();
let scrape = '';
afterAll(() => telemetry.end());
beforeAll(async () => {
  const scene = new Scene();
  const page = { status: 200, json: { data: [{ sale_id: 'sale_1' }], next_cursor: null } };
  const { client } = scene.dealer([acceptance(), page, page, page]);
  instrument(client);
  await scene.during(client.bids.place(BID, KEYED));
  await scene.during(client.bids.place({ ...BID, lot: 'lot_2', placeBy: NOW - 1 }));
  const end = new AbortController();
  const following = client.winnerUpdates.follow({
    name: 'books',
    signal: end.signal,
    handle: async () => {
      await telemetry.scrape();
      end.abort();
    },
  });
  await scene.during(following);
  const quota = { scope: 'client', limit: 1, reserve: 0, window: 1_000, margin: 0 } as const;
  const waiting = scene.dealer([event, event], { quota }).client;
  instrument(waiting, { attributes: { bank: 'second' } });
  await scene.during(Promise.all(['auc_1', 'auc_2'].map((id) => waiting.events.get(id))));
  const { receiver, take, clock } = receiverWith();
  instrument(receiver);
  await take(saleApproved);
  await clock.advance(0);
  scrape = await telemetry.scrape();
  await receiver.close();
});

/** Names of metrics and of labels in an expression, as the exporter of the SDK writes them. */
function namesOf(expression: string) {
  const text = expression.replaceAll('(_seconds)?', '');
  const grouped = /\b(?:by|without) \(([^)]*)\)/g;
  const matcher = /\{([^}]*)\}/g;
  const named = [...text.matchAll(/__name__=~"(\w+)"/g)].map((match) => match[1] ?? '');
  const plain = text.replace(grouped, '').replace(matcher, '');
  const metrics = [...named, ...(plain.match(/\b(?:vehicle_auction|http_client)_\w+/g) ?? [])];
  const labels = [
    ...[...text.matchAll(matcher)].flatMap((match) => (match[1] ?? '').match(/\w+(?=[!=]~?"|=)/g) ?? []),
    ...[...text.matchAll(grouped)].flatMap((match) => (match[1] ?? '').split(', ')),
  ];
  return { metrics, labels };
}

/** Labels that Prometheus adds, and those that only failures have. */
const ADDED = ['instance', 'pod', 'le', '__name__', 'error_type'];

describe('alerts and the dashboard', () => {
  it.each(expressions)('use only metrics and labels that are exported: %s %s', (_, expression) => {
    const { metrics, labels } = namesOf(expression);
    const exported = namesIn(scrape);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !exported.has(name))).toEqual([]);
    expect(labels.filter((name) => !ADDED.includes(name) && !scrape.includes(`${name}="`))).toEqual([]);
  });

  it('show every metric that is exported', () => {
    const used = new Set(expressions.flatMap(([, expression]) => namesOf(expression).metrics));
    const families = (names: Iterable<string>) =>
      new Set([...names].map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
    const own = [...families(namesIn(scrape))].filter((name) => name.startsWith('vehicle_auction_'));
    expect(own.filter((name) => !families(used).has(name))).toEqual([]);
  });

  it.each(rules)('name a command that exists: $alert', ({ annotations: { run, summary } }) => {
    expect(summary).toMatch(/\.$/);
    const [npx, name, ...words] = run.split(' ');
    expect([npx, name]).toEqual(['npx', 'vehicle-auction-sdk']);
    let command = program({ out: () => undefined, err: () => undefined });
    for (const word of words.filter((one) => !one.startsWith('-'))) {
      const next = command.commands.find((each) => each.name() === word);
      expect(next?.name(), run).toBe(word);
      if (next !== undefined) command = next;
    }
  });

  it('are described in the guide, one by one', () => {
    const guide = textOf('docs/telemetry.md');
    expect(rules).toHaveLength(11);
    for (const { alert } of rules) expect(guide).toContain(`| \`${alert}\` |`);
  });

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
  it.skipIf(!hasPromtool)('are accepted by promtool', () => {
    const said = execFileSync('promtool', ['check', 'rules', join(root, RULES)], { encoding: 'utf8' });
    expect(said).toContain('11 rules found');
  });
});
