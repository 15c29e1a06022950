import type { Attributes, BatchObservableResult, Meter } from '@opentelemetry/api';
import type { ClientMetrics, FollowerState } from '../client/metrics.js';

/** A state without intents is reported as 0, so that an alert sees it end. */
const NONE = { ready: 0, sent: 0, stuck: 0, refused: 0 };

const WATCH_STATUSES = ['kept', 'quota', 'outage', 'starting'];

/**
 * Reports the numbers of `client.metrics()` whenever metrics are collected.
 *
 * @returns a function that ends the reporting
 */
export function reportGauges(
  meter: Meter,
  metrics: () => Promise<ClientMetrics>,
  common: Attributes,
): () => void {
  const gauges = gaugesOf(meter);
  const all = Object.values(gauges);
  const ended = new Map<string, FollowerState>();
  const callback = async (result: BatchObservableResult): Promise<void> => {
    const now = await metrics();
    // SDKs repeat the last value of a series without a new one, so an ended follower is reported as current.
    const followers = new Map([
      ...ended,
      ...now.followers.map((one) => [`${one.call} ${one.name}`, one] as const),
    ]);
    for (const [key, one] of followers) ended.set(key, { ...one, behind: 0, failures: 0 });
    observeAll(result, gauges, { ...now, followers: [...followers.values()] }, common);
  };
  meter.addBatchObservableCallback(callback, all);
  return () => meter.removeBatchObservableCallback(callback, all);
}

type Gauges = ReturnType<typeof gaugesOf>;

function gaugesOf(meter: Meter) {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`vehicle_auction.${name}`, { unit, description });
  return {
    limit: gauge('quota.limit', '{request}', 'Requests per window.'),
    used: gauge('quota.used', '{request}', 'Requests that count in the window now.'),
    available: gauge('quota.available', '{request}', 'Requests that could be sent now, by lane.'),
    waiting: gauge('quota.waiting', '{request}', 'Queued requests of this process, by lane.'),
    paused: gauge('quota.paused', '{pause}', '1 during the pause after a 429, else 0.'),
    unresolved: gauge(
      'intents.unresolved',
      '{intent}',
      'Unresolved bids and commands of the store, by state.',
    ),
    oldest: gauge('intents.oldest_age', 's', 'Age of the oldest that may have been sent and has no outcome.'),
    offset: gauge('clock.offset', 's', 'How far server time is ahead of the local clock.'),
    uncertainty: gauge('clock.uncertainty', 's', 'How far the offset can be wrong, either way.'),
    behind: gauge('follower.behind', 's', 'Time since a follower had handled everything it read.'),
    failures: gauge('follower.failures', '{failure}', 'Consecutive failures of a follower.'),
    staleness: gauge('watch.staleness', 's', 'Age of the oldest status of a live lot that is watched.'),
    watches: gauge('watches', '{watch}', 'Running watches of lots, by status.'),
    tolerated: gauge('tolerated_forms', '{form}', 'Kinds of undocumented forms that replies were read in.'),
  };
}

function observeAll(
  result: BatchObservableResult,
  gauges: Gauges,
  { quota, unresolved, clock, followers, watches, tolerated }: ClientMetrics,
  common: Attributes,
): void {
  const report = (gauge: keyof Gauges, value: number, attributes: Attributes = {}) =>
    result.observe(gauges[gauge], value, { ...common, ...attributes });
  report('limit', quota.limit);
  report('used', quota.used);
  for (const [lane, count] of Object.entries(quota.available))
    report('available', count, { 'vehicle_auction.quota.lane': lane });
  for (const [lane, count] of Object.entries(quota.waiting))
    report('waiting', count, { 'vehicle_auction.quota.lane': lane });
  report('paused', quota.pausedUntil === undefined ? 0 : 1);
  const byState: Readonly<Record<string, number>> = { ...NONE, ...unresolved.byState };
  const readable = Object.values(byState).reduce((sum, count) => sum + count, 0);
  for (const [state, count] of Object.entries({ ...byState, unreadable: unresolved.count - readable }))
    report('unresolved', count, { 'vehicle_auction.intent.state': state });
  report('oldest', (unresolved.oldest ?? 0) / 1_000);
  if (clock !== undefined) {
    report('offset', clock.ms / 1_000);
    report('uncertainty', clock.uncertainty / 1_000);
  }
  for (const { call, name, behind, failures } of followers) {
    const follower = { 'vehicle_auction.call': call, 'vehicle_auction.follower': name };
    report('behind', behind / 1_000, follower);
    report('failures', failures, follower);
  }
  report('staleness', Math.max(0, ...watches.map(({ staleness }) => staleness ?? 0)) / 1_000);
  for (const status of WATCH_STATUSES) {
    const count = watches.filter((watch) => watch.status === status).length;
    report('watches', count, { 'vehicle_auction.watch.status': status });
  }
  report('tolerated', tolerated.length);
}
