import { paise } from './money.js';
import type { Observation } from './observation.js';
import type { Play } from './play.js';

/** Where a kind may go from a state; a state without an entry is terminal. */
const ways: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  sale: { pending_bank_approval: ['approved'], approved: ['cancelled'] },
  offer: { open: ['accepted', 'declined', 'expired', 'superseded'], accepted: ['superseded'] },
  cancellation: { pending: ['approved'] },
  payment_report: { reported_pending_verification: ['verified'] },
  document: { awaiting_scan: ['ready'] },
  release: { valid: ['revoked', 'expired', 'used'] },
  refund_request: { pending: ['approved'] },
  sale_cancellation: { pending: ['approved'] },
};

/** Whatever happened between two moments: versions grow with every change, and nothing terminal moves. */
export function checkMove(play: Play, before: Observation, after: Observation): void {
  for (const [id, old] of before.records) {
    const now = after.records.get(id);
    play.must(now !== undefined, `${old.kind} ${id} is gone`);
    const grown = now.resource_version - old.resource_version;
    play.must(grown >= 0, `the version of ${old.kind} ${id} fell`);
    if (grown === 0) play.expect(now, old, `${old.kind} ${id} changed under its version`);
    play.expect([now.kind, now.created_at], [old.kind, old.created_at], `what ${id} is`);
    const next = ways[old.kind]?.[old.state] ?? [];
    play.must(
      now.state === old.state || next.includes(now.state),
      `${old.kind} ${id} went from ${old.state} to ${now.state}`,
    );
  }
  for (const [key, old] of before.status) {
    const now = after.status.get(key);
    const grown = now.resource_version - old.resource_version;
    play.must(grown >= 0, `the version of lot ${key} fell`);
    if (grown === 0) play.expect(now, old, `lot ${key} changed under its version`);
  }
}

/** A request that was refused leaves everything as it was. */
export function checkUnchanged(play: Play, before: Observation, after: Observation, what: string): void {
  play.expect(after.ledger, before.ledger, `${what}: the ledger`);
  play.expect(after.records, before.records, `${what}: the records`);
  for (const key of new Set([...before.pages.keys(), ...after.pages.keys()])) {
    play.expect(after.pages.get(key), before.pages.get(key), `${what}: ${key}`);
  }
}

/** What holds at every moment. */
export function checkMoment(play: Play, now: Observation): void {
  checkMoney(play, now);
  checkStandings(play, now);
  checkReleases(play, now);
  checkTenants(play, now);
}

/** Paise come in by receipts only; each is free, credited or refunded, never two of them. */
function checkMoney(play: Play, now: Observation): void {
  const received = total(play.all('bank_receipt').map(({ data }) => data.amount));
  const payments = play.all('payment');
  const held = total(payments.map(({ data }) => data.amount));
  play.expect(held, received, 'money at the bank against receipts');
  let credited = 0n;
  for (const [saleId, dues] of now.dues) {
    const allocated = total(
      now.receipts.get(saleId).allocations.map((each: { data: { amount: string } }) => each.data.amount),
    );
    const [due, credits, remaining, excess] = [
      dues.due_amount,
      dues.verified_credits,
      dues.remaining,
      dues.excess,
    ].map(paise) as [bigint, bigint, bigint, bigint];
    play.must(credits <= allocated, `sale ${saleId} is credited more than was allocated to it`);
    play.expect(due - remaining + excess, credits, `what is due for sale ${saleId}`);
    play.must(remaining === 0n || excess === 0n, `sale ${saleId} owes and is owed`);
    credited += credits;
  }
  const refunded = total(
    play
      .all('refund')
      .flatMap(({ state, data }) => (state === 'failed' ? [] : [inRupees(data.amount_paise)])),
  );
  play.must(credited + refunded <= held, `${credited} credited and ${refunded} refunded of ${held} paise`);
  for (const payment of payments) {
    const back = play
      .all('refund')
      .filter(({ data, state }) => data.payment_id === payment.id && state !== 'failed')
      .reduce((sum, { data }) => sum + BigInt(data.amount_paise), 0n);
    play.must(back <= paise(payment.data.amount), `payment ${payment.id} is refunded more than once`);
  }
}

/** One leader of a lot, and in open auctions its amount is the highest that was accepted and stands. */
function checkStandings(play: Play, now: Observation): void {
  const { dealer, rival } = play.sandbox.credentials;
  for (const lot of play.lots) {
    const seen = [dealer, rival].map((who) => now.status.get(`${who.clientId} ${lot.id}`));
    const leading = seen.filter((status) => status.own_standing === 'leading');
    play.must(leading.length <= 1, `lot ${lot.id} has two leaders`);
    if (lot.label === 'live-closed') {
      for (const status of seen)
        play.must(!('highest_amount' in status), 'a closed auction tells its highest');
      continue;
    }
    const gone = new Set(
      [...now.records.values()]
        .filter(({ kind, state }) => kind === 'cancellation' && state === 'approved')
        .map(({ data }) => data.bid_id),
    );
    const [first] = seen;
    const accepted = [...play.bids].filter(
      ([id, bid]) => bid.lotId === lot.id && bid.accepted && !gone.has(id),
    );
    if (gone.size === 0) {
      const highest = accepted.reduce<bigint | null>(
        (best, [, { amount }]) => (best === null || amount > best ? amount : best),
        null,
      );
      const told = first.highest_amount === null ? null : paise(first.highest_amount);
      play.expect(told, highest, `the highest bid on ${lot.id}`);
    }
    for (const status of leading) {
      play.expect(status.own_amount, status.highest_amount, `the leader's amount on ${lot.id}`);
    }
  }
}

/** A vehicle is released once, when it is paid and acknowledged. */
function checkReleases(play: Play, now: Observation): void {
  const at = play.sandbox.clock.now();
  for (const sale of play.all('sale')) {
    const mine = play.all('release').filter(({ data }) => data.sale_id === sale.id);
    const live = mine.filter(({ state }) => state === 'valid' || state === 'used');
    play.must(live.length <= 1, `sale ${sale.id} is released twice`);
    for (const { state, data } of live) {
      play.must(sale.data.acknowledged_at !== null, `sale ${sale.id} is released unacknowledged`);
      if (state === 'valid') play.must(Date.parse(data.expires_at) > at, 'a release is valid past its end');
    }
    if (sale.state === 'pending_bank_approval') {
      play.must(mine.length === 0 && !now.dues.has(sale.id), `sale ${sale.id} has dues before its approval`);
    }
  }
}

/** Nobody is told of what is another's: no id, no buyer, no client. */
function checkTenants(play: Play, now: Observation): void {
  const { bank, otherBank, platform } = play.sandbox.credentials;
  const ownerOfSale = (saleId: string) => play.bids.get(now.records.get(saleId)?.data.bid_id)?.who;
  const secrets: (readonly [owner: string, text: string])[] = [
    ...[...play.bids].map(([id, { who }]) => [who.clientId, id] as const),
    ...play.everybody.map(({ clientId }) => [clientId, clientId] as const),
    ...play.everybody.map(({ clientId, keyId }) => [clientId, keyId] as const),
    [platform.clientId, 'buyer-0'],
    [platform.clientId, 'buyer-1'],
  ];
  for (const record of now.records.values()) {
    const saleId = record.kind === 'sale' ? record.id : record.data?.sale_id;
    const owner = typeof saleId === 'string' ? ownerOfSale(saleId) : undefined;
    if (owner !== undefined) secrets.push([owner.clientId, record.id]);
  }
  for (const who of play.everybody) {
    const told = play.told(who);
    if (who === bank) continue;
    for (const [owner, text] of secrets) {
      if (owner === who.clientId || (owner === bank.clientId && who !== otherBank)) continue;
      play.must(!told.includes(text), `${who.clientId} was told ${text}, which is of ${owner}`);
    }
  }
}

function total(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => sum + paise(amount), 0n);
}

function inRupees(amountPaise: number): string {
  const whole = BigInt(amountPaise);
  return `${whole / 100n}.${String(whole % 100n).padStart(2, '0')}`;
}
