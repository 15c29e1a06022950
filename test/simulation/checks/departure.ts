import { isOpen } from '../../../src/intents/intent.js';
import { parsed } from '../service/wire.js';
import type { SimulatedProcess } from '../world/process.js';
import type { JournalEvent } from './journal-watch.js';
import type { Observations, SentRequest } from './record.js';

/** What was the case when a request left. */
export interface DepartureContext {
  readonly process: SimulatedProcess;
  /** True time when the SDK handed it over. */
  readonly askedAt: number;
  readonly trueTime: number;
  readonly isFreshNonce: boolean;
  readonly isDurable: boolean;
  /** A recorded rejection of this bid had reached the process. */
  readonly rejectionSeen: boolean;
  /** The process had seen, while it worked on this bid, that its lot is closed. */
  readonly closeSeen: boolean;
}

/** A time stamp may be as old as the journal takes to write, ms. */
const STAMP_AGE_MS = 20_000;
/** How far the SDK's server time may be behind, ms: by the way back of the reply that it was taken from. */
const BEHIND_MS = 1_500;

/** What is wrong with a request that leaves: kind and detail. */
export function* faultsAtDeparture(
  sent: SentRequest,
  context: DepartureContext,
  { sent: before, calls, told, journal }: Observations,
): Generator<readonly [string, string]> {
  const { wire, key, kind, process, number } = sent;
  const name = `request ${number} under ${key || 'no key'}`;
  if (!context.isFreshNonce) yield ['nonce used twice', name];
  if (isStale(wire.headers['x-timestamp'], context)) yield ['stale time stamp', name];
  if (kind === 'read') return;
  if (!context.isDurable) yield ['sent before it was durable', name];

  const twin = before.find((other) => other.key === key);
  if (twin !== undefined) {
    if (twin.wire.body !== sent.wire.body || twin.wire.path !== wire.path) yield ['changed bytes', name];
    // Two accounts that begin at the same time can't see each other, and then both go on.
    const beganBefore = calls.some(
      ({ key: one, client, order }) => one === key && client === sent.client && order < twin.order,
    );
    const isOwn = before.some((other) => other.key === key && other.client === sent.client);
    if (!isOwn && !beganBefore) yield ['sent under another client', name];
  }
  if (kind !== 'bid') return;

  const body = parsed(wire.body);
  const tag = body?.['client_bid_time'];
  const alias = before.find(
    (other) =>
      other.kind === 'bid' && other.key !== key && parsed(other.wire.body)?.['client_bid_time'] === tag,
  );
  if (alias !== undefined) yield ['one intent under two keys', `${alias.key} and ${key}`];
  // As this process itself has written last: what others settled meanwhile, while it stood still, only the key can fence.
  const standing = journal.findLast(
    (event) => event.key === key && event.process === process && event.did === 'write',
  )?.state;
  if (standing !== undefined && standing !== 'unknown') {
    yield ['sent though it was settled', `${name}, which is ${standing}`];
  }
  if (context.rejectionSeen) yield ['rejected and sent again', name];
  if (twin !== undefined && context.closeSeen) yield ['sent after a confirmed close', name];

  const ofBid = calls.filter((call) => call.what === 'place' && (call.key === key || call.tag === tag));
  const placeBy = Math.max(...ofBid.map((call) => call.placeBy ?? Number.POSITIVE_INFINITY));
  if (isAfter(placeBy, context)) yield ['sent after its deadline', name];

  const open = calls.filter((call) => call.process === process && !call.isOver);
  const mayBid = open.some(
    (call) => call.resends === true || (call.what === 'place' && (call.key ?? key) === key),
  );
  if (!mayBid)
    yield [
      'sent without being told to',
      `${name}, during ${open.map(({ what }) => what).join() || 'nothing'}`,
    ];

  // The first of a new bid, while an earlier one of the buyer on the lot is known to be in doubt.
  const place = ofBid.findLast((call) => call.process === process);
  if (twin !== undefined || place === undefined || place.overInDoubt === true) return;
  const rivals = calls.filter(
    (call) =>
      call.what === 'place' && call.lot === place.lot && call.buyer === place.buyer && call.tag !== tag,
  );
  for (const rival of new Set(rivals.map((call) => call.key))) {
    const last = told.findLast((report) => report.key === rival);
    if (last?.status !== 'unknown' || last.order > place.order) continue;
    if (!before.some((other) => other.key === rival && other.client === sent.client)) continue;
    // As it stood when this one came to be open: somebody may have settled, abandoned or renewed it.
    const openedAt = openedIn(journal.filter((event) => event.key === key));
    const state = journal.findLast(
      (event) => event.key === rival && event.did === 'write' && event.order < openedAt,
    )?.state;
    if (state !== undefined && isOpen(state)) yield ['sent over a bid in doubt', `${name}, over ${rival}`];
  }
}

/** When an intent was written down, or placed anew after it had been settled: where in the order of things. */
function openedIn(events: readonly JournalEvent[]): number {
  let openedAt = 0;
  let wasOpen = false;
  for (const { order, state } of events) {
    if (state === undefined) continue;
    if (isOpen(state) && !wasOpen) openedAt = order;
    wasOpen = isOpen(state);
  }
  return openedAt;
}

/** By the process's own clock and by true time: it can't know better than either. */
function isStale(stamp: string | undefined, { process, askedAt, trueTime }: DepartureContext): boolean {
  if (process.clockIsMisled || process.disturbedUntil > askedAt - STAMP_AGE_MS) return false;
  const at = Number(stamp) * 1000;
  const localAskedAt = askedAt + process.clock.now() - trueTime;
  return Math.min(Math.abs(askedAt - at), Math.abs(localAskedAt - at)) > STAMP_AGE_MS;
}

function isAfter(moment: number, { process, askedAt, trueTime }: DepartureContext): boolean {
  if (process.clockIsMisled) return false;
  const localAskedAt = askedAt + process.clock.now() - trueTime;
  return askedAt > moment + BEHIND_MS && localAskedAt > moment;
}
