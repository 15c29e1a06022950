import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Sandbox, SandboxCredentials } from '../../src/sandbox/index.js';
import { bid, get, lotOf, onManualClock, plus } from './caller.js';
import { aDay } from './story.js';
import { command, done } from './workflow.js';

let sandbox: Sandbox;
let dealer: SandboxCredentials;
let rival: SandboxCredentials;
let platform: SandboxCredentials;
beforeEach(async () => {
  sandbox = await onManualClock();
  ({ dealer, rival, platform } = sandbox.credentials);
});
afterEach(() => sandbox.close());

const at = (extra: number, label = 'live-open') => plus(lotOf(sandbox, label).startingPrice, extra);
const submit = (who: SandboxCredentials, extra: number, label = 'live-open', bidder_reference?: string) =>
  bid(sandbox, who, lotOf(sandbox, label).id, {
    amount: at(extra, label),
    ...(bidder_reference && { bidder_reference }),
  });
/** Bids `extra` rupees above the opening of a lot, and returns the bid's id. */
async function placed(...given: Parameters<typeof submit>): Promise<string> {
  const { status, json, text } = await submit(...given);
  if (status !== 201) throw new Error(text);
  return json.data.bid_id;
}
const ask = (bidId: string, who = dealer) =>
  done(command(sandbox, who, `/api/v1/bids/${bidId}/cancellation-requests`, { reason_code: 'R' }));
const approve = ({ id }: { id: string }) =>
  done(
    command(sandbox, sandbox.credentials.bank, `/api/v1/bid-cancellation-requests/${id}/decisions`, {
      decision: 'approved',
      expected_version: 1,
    }),
  );
const cancelled = async (bidId: string, who = dealer) => approve(await ask(bidId, who));
/** What a buyer sees of its own and of the others. */
async function standing(who: SandboxCredentials, label = 'live-open', buyer = '') {
  const url = `/api/v1/events/${sandbox.auctions.get(label).id}/lots/${lotOf(sandbox, label).id}`;
  const { data } = (await get(sandbox, who, url, buyer && `bidder_reference=${buyer}`)).json;
  return [data.bidder_status, data.own_amount, data.highest_amount, data.channel_status];
}

it('a cancelled bid stays accepted where it is read: nothing is deleted', async () => {
  const bidId = await placed(dealer, 0);
  const before = await get(sandbox, dealer, `/api/v1/bids/${bidId}`);
  await cancelled(bidId);
  expect((await get(sandbox, dealer, `/api/v1/bids/${bidId}`)).json).toEqual(before.json);
  const { data } = (await get(sandbox, dealer, '/api/v1/bids')).json;
  expect(data).toMatchObject([{ public_id: bidId, status: 'accepted' }]);
});

// rule: state.cancellation
it('the standings fall back to the other buyers: superseded bids do not revive', async () => {
  await placed(dealer, 0);
  await placed(rival, 5_000);
  const latest = await placed(dealer, 10_000);
  expect(await standing(dealer)).toEqual(['leading', at(10_000), at(10_000), 'leading']);
  await cancelled(latest);
  expect(await standing(dealer)).toEqual(['no_bid', null, at(5_000), 'no_bid']);
  expect(await standing(rival)).toEqual(['leading', at(5_000), at(5_000), 'leading']);
  expect((await submit(dealer, 5_000)).json.errors).toEqual(['BID_BELOW_MINIMUM']);
  const next = await submit(dealer, 10_000);
  // Three accepted bids and the cancellation came before, from version 1 on.
  expect([next.status, next.json.data.lot_version]).toEqual([201, 6]);
  expect(await standing(dealer)).toEqual(['leading', at(10_000), at(10_000), 'leading']);
});

it('the standings of a lot without another buyer are as before the first bid', async () => {
  await placed(dealer, 0);
  await cancelled(await placed(dealer, 50_000));
  expect(await standing(dealer)).toEqual(['no_bid', null, null, 'no_bid']);
  await placed(dealer, 0);
  sandbox.auctions.close('live-open');
  expect(sandbox.records('sale')).toMatchObject([{ data: { amount: at(0) } }]);
});

it('an older bid that is cancelled loses only itself', async () => {
  const older = [await placed(dealer, 0), await placed(dealer, 5_000)];
  await placed(rival, 10_000);
  const latest = await placed(dealer, 15_000);
  const leading = await standing(dealer);
  for (const bidId of older.reverse()) {
    await cancelled(bidId);
    expect(await standing(dealer)).toEqual(leading);
  }
  await cancelled(latest);
  expect(await standing(dealer)).toEqual(['no_bid', null, at(10_000), 'no_bid']);
});

it('a cancellation in a closed auction frees the buyer’s own minimum, and nobody else’s', async () => {
  const label = 'live-closed';
  await placed(platform, 0, label, 'A');
  const latest = await placed(platform, 25_000, label, 'A');
  await placed(platform, 5_000, label, 'B');
  expect((await standing(platform, label, 'B'))[0]).toBe('outbid');
  await cancelled(latest, platform);
  expect(await standing(platform, label, 'A')).toEqual(['no_bid', null, undefined, 'leading']);
  expect((await standing(platform, label, 'B'))[0]).toBe('leading');
  expect((await submit(platform, 5_000, label, 'B')).json.errors).toEqual(['BID_BELOW_MINIMUM']);
  await placed(platform, 0, label, 'A');
});

it('a bid that went with a later one takes no new bid with it when it is decided', async () => {
  const [first, second] = [await placed(dealer, 0), await placed(dealer, 5_000)];
  const pending = await ask(first);
  await cancelled(second);
  await placed(dealer, 0);
  await approve(pending);
  expect((await standing(dealer)).slice(0, 2)).toEqual(['leading', at(0)]);
});

// rule: state.cancellation
it('after the close nobody is awarded the lot instead', async () => {
  await placed(rival, 0);
  const bidId = await placed(dealer, 5_000);
  sandbox.auctions.close('live-open');
  const sales = sandbox.records('sale');
  await cancelled(bidId);
  sandbox.clock.advance(aDay);
  expect(sandbox.records('sale')).toEqual(sales);
});

it('a rejected bid can not be cancelled', async () => {
  const { json } = await submit(dealer, 1);
  const path = `/api/v1/bids/${json.data.bid_id}/cancellation-requests`;
  const got = await command(sandbox, dealer, path, { reason_code: 'R' });
  expect([got.status, Object.keys(got.json)]).toEqual([409, ['message']]);
});
