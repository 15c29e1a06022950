import { isOpen } from '../../../src/store/intents.js';
import { parsed } from '../service/wire.js';
import { accountOf, KEY_RETENTION_MS, type Setup } from '../world/deployment.js';
import type { SimulatedProcess } from '../world/process.js';
import { attemptOf, lacksReply, type StoreWrite } from './store-watch.js';
import type { SentRequest, Witness } from './witness.js';

/** A time stamp may be as old as the store takes to record the attempt, ms. */
const STAMP_AGE_MS = 62_000;
/** How far the SDK's server time may be behind, ms: by the way back of the reply that it was taken from. */
const BEHIND_MS = 1_500;
/** For how long a copy can be let in, ms. */
const WINDOW_MS = 300_000;

/** For how long a command without a version is sent again after its first attempt, ms. */
export const UNVERSIONED_MS = 600_000;

/** What is wrong with a request that leaves: kind and detail. */
export function* faultsAtDeparture(
  sent: SentRequest,
  process: SimulatedProcess,
  witness: Witness,
): Generator<readonly [string, string]> {
  const { wire, key, kind, number } = sent;
  const { sent: before, calls, store } = witness;
  const { writes } = store;
  const { setup } = process;
  const account = accountOf(setup);
  const name = `request ${number} under ${key || 'no key'}`;
  const nonce = nonceOf(sent);
  if (before.some((other) => nonceOf(other) === nonce)) yield ['nonce used twice', name];
  const moment = { process, askedAt: sent.at, localAskedAt: sent.at + process.clock.now() - witness.now };
  if (isStale(sent, moment)) yield ['stale time stamp', name];
  if (kind === 'read') return;
  if (setup.environment !== 'sandbox' && witness.isIdentified(process))
    yield ['sent to the wrong world', name];

  const row = store.find(account, key);
  const log = row?.content.log ?? [];
  const attempt = attemptOf(log, nonce);
  if (row === undefined || attempt < 0) yield ['sent before it was durable', name];

  const twin = before.find((other) => other.key === key && other.client === sent.client);
  const isKnown = twin !== undefined && twin.order > (store.restores.at(-1) ?? 0);
  if (isKnown && (twin.wire.body !== wire.body || twin.wire.path !== wire.path)) {
    yield ['changed bytes', name];
  }
  const { clientId, origin } = row?.content.identity ?? { clientId: sent.client, origin: setup.origin };
  if (clientId !== sent.client) yield ['sent under another client', name];
  if (origin !== setup.origin && !setup.formerOrigins.includes(origin)) {
    yield ['sent to another address', `${name}, recorded for ${origin}`];
  }

  // As this process itself has written last: what others settled meanwhile, while it stood still, only the key can fence.
  const ofKey = writes.filter((write) => write.key === key);
  const own = ofKey.findLast(
    (write, index) => write.process === process.name && !isOnlyVoided(write, ofKey[index - 1]),
  );
  if (own !== undefined && own.state !== 'sent' && !lacksReply(own)) {
    yield ['sent though it was settled', `${name}, which is ${own.state}`];
  }
  const tag = tagOf(wire);
  const open = calls.filter((call) => call.process === process.name && !call.isOver);
  const isTold = (call: (typeof open)[number]) =>
    (call.resends === true && kind === 'command') ||
    (call.what === 'batch' && call.tags?.includes(tag ?? '') === true) ||
    (call.what === (kind === 'bid' ? 'place' : 'command') && (call.key ?? key) === key && call.tag === tag);
  if (!open.some(isTold)) {
    const during = open.map(({ what }) => what).join() || 'nothing';
    yield ['sent without being told to', `${name}, during ${during}`];
  }

  const keyExpiresAt = keyInsertedAt(key, account, writes) + KEY_RETENTION_MS;
  const stampMs = Number(wire.headers['x-timestamp']) * 1000;
  if (!process.clockIsMisled && stampMs + WINDOW_MS > keyExpiresAt)
    yield ['sent when its key may be forgotten', name];
  if (kind === 'command') {
    const since = firstAttempt(log, attempt);
    const isVersioned = row?.content.target?.versioned === true;
    const isLate = since !== undefined && stampMs > since * 1000 + UNVERSIONED_MS;
    if (!isVersioned && isLate && !process.clockIsMisled) yield ['sent when its key may be forgotten', name];
    return;
  }

  // The key of a row comes from the label of its client, too.
  const isRow = calls.some((call) => call.tags?.includes(tag ?? '') === true);
  const alias = before.find(
    (other) =>
      other.kind === 'bid' &&
      other.key !== key &&
      other.client === sent.client &&
      (!isRow || writes.some((write) => write.key === other.key && write.account === account)) &&
      tagOf(other.wire) === tag &&
      row?.content.once === undefined,
  );
  if (alias !== undefined) yield ['one intent under two keys', `${alias.key} and ${key}`];
  if (witness.heardRejection(process, key)) yield ['rejected and sent again', name];
  const renewed = log.slice(0, Math.max(0, attempt)).findLastIndex(({ type }) => type === 'placed');
  const wasClosed = log.slice(renewed, attempt).some((event) => event.type === 'lot_read' && event.closed);
  if (wasClosed || (twin !== undefined && witness.sawClose(process, key)))
    yield ['sent after a confirmed close', name];

  const ofBid = calls.filter((call) => call.what === 'place' && (call.key === key || call.tag === tag));
  const until = ofBid.map((call) => call.placeBy ?? Number.POSITIVE_INFINITY);
  const placeBy = until.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...until);
  const placed = log.slice(0, Math.max(0, attempt)).findLast((event) => 'placeBy' in event);
  const recorded = placed !== undefined && 'placeBy' in placed ? (placed.placeBy ?? placeBy) : placeBy;
  if (isAfter(Math.min(placeBy, recorded), moment)) yield ['sent after its deadline', name];

  // Another open bid of the buyer on the lot, which was open before this one was placed.
  const place = ofBid.findLast((call) => call.process === process.name);
  if (row === undefined || place?.allowUnresolved === true) return;
  const placedAt = writes.find(
    ({ key: one, account, content }) =>
      one === key && account === row.account && content.log.length > renewed,
  )?.order;
  for (const rival of store.rows) {
    const isRival = rival.key !== key && rival.lot === row.lot && rival.buyer === row.buyer;
    if (!isRival || !isOpen(rival.state) || !isOfTheClient(rival, row, setup)) continue;
    if (openedIn(rival, writes) < (placedAt ?? 0))
      yield ['sent over an open bid', `${name}, over ${rival.key}`];
  }
}

/** A label is no wall: the service knows a client by its id. At another address it may be another service. */
function isOfTheClient({ account, content }: StoreWrite, row: StoreWrite, setup: Setup): boolean {
  const { clientId, origin } = content.identity;
  const isHere = origin === setup.origin || setup.formerOrigins.includes(origin);
  return account === row.account || (isHere && clientId === row.content.identity.clientId);
}

/** Whether a call for another bid, with the same ids, has changed nothing but what the verdict rests on. */
function isOnlyVoided({ content, state }: StoreWrite, before: StoreWrite | undefined): boolean {
  const added = content.log.slice(before?.content.log.length ?? 0);
  return before?.state === state && added.every(({ type }) => type === 'voided');
}

/** What the bytes call themselves. */
export function tagOf({ body, path }: SentRequest['wire']): string | undefined {
  const fields = parsed(body);
  const tag = fields?.['client_bid_time'] ?? fields?.['external_reference'];
  if (typeof tag === 'string') return tag;
  return /\/sale-cases\/([^/]+)\//.exec(path)?.[1];
}

/** The time stamp of the first attempt of a round that may have left, Unix seconds. */
function firstAttempt(log: StoreWrite['content']['log'], attempt: number): number | undefined {
  const round = log.slice(log.slice(0, attempt).findLastIndex(({ type }) => type === 'placed') + 1, attempt);
  const unsent = new Set(
    round.flatMap((event) => (event.type === 'result' && event.effect === 'not_sent' ? [event.n] : [])),
  );
  const first = round.find((event) => event.type === 'attempt' && !unsent.has(event.n));
  return first?.type === 'attempt' ? first.timestamp : undefined;
}

/** When the retention of a key begins: when it was inserted, or placed again after it was settled for good. */
export function keyInsertedAt(key: string, account: string, writes: readonly StoreWrite[]): number {
  let at = 0;
  let before: StoreWrite | undefined;
  for (const write of writes) {
    if (write.key !== key || write.account !== account) continue;
    if (write.version === 1) {
      // Inserted, perhaps once more after a backup without it was restored.
      at = 0;
      before = undefined;
    }
    const length = before?.content.log.length ?? 0;
    const placed = write.content.log.slice(length).find(({ type }) => type === 'placed');
    const isFinal = before !== undefined && !isOpen(before.state) && !before.provisional;
    if (placed !== undefined && (at === 0 || isFinal)) at = placed.at;
    before = write;
  }
  return at;
}

/** When an intent came to be open: its position in the order of things. */
function openedIn({ key, account }: StoreWrite, writes: readonly StoreWrite[]): number {
  let openedAt = 0;
  let wasOpen = false;
  for (const write of writes) {
    if (write.key !== key || write.account !== account) continue;
    // What `runOnce` has reserved is no bid before one is placed under it.
    const isOpenBid = isOpen(write.state) && write.lot !== undefined;
    if (isOpenBid && !wasOpen) openedAt = write.order;
    wasOpen = isOpenBid;
  }
  return openedAt;
}

/** When the SDK handed a request over: by true time, and by the process's own clock. */
interface Moment {
  readonly process: SimulatedProcess;
  readonly askedAt: number;
  readonly localAskedAt: number;
}

/** By the process's own clock and by true time: it can't know better than either. */
function isStale({ wire }: SentRequest, { process, askedAt, localAskedAt }: Moment): boolean {
  if (process.clockIsMisled || process.disturbedUntil > askedAt - STAMP_AGE_MS) return false;
  const at = Number(wire.headers['x-timestamp']) * 1000;
  return Math.min(Math.abs(askedAt - at), Math.abs(localAskedAt - at)) > STAMP_AGE_MS;
}

function isAfter(moment: number, { process, askedAt, localAskedAt }: Moment): boolean {
  return !process.clockIsMisled && askedAt > moment + BEHIND_MS && localAskedAt > moment;
}

export function nonceOf({ wire }: SentRequest): string {
  return wire.headers['x-nonce'] ?? '';
}
