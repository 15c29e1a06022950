import type { Sandbox, SandboxCredentials } from '../../src/sandbox/index.js';
import { get } from './caller.js';
import { all, inbox, paid } from './funds.js';
import { acknowledgedLot, command, done, type SoldLot, saleOf, type Winning } from './workflow.js';

/** What is done to sales that are paid and released, and how their money is looked at. */

export const release = {
  recipient: { name: 'R. Iyer', id_proof: 'DL-7701' },
  yard: 'Unity Vehicle Park, Hubballi',
  expires_at: '2026-04-01T15:30:00+05:30',
  collection_date: '2026-03-02',
};

/** Allocates money of a payment, at its current version. */
export async function allocate(sandbox: Sandbox, paymentId: string, saleId: string, amount: string) {
  const { resource_version } = await paymentOf(sandbox, paymentId);
  const url = `/api/v1/payments/${paymentId}/allocations`;
  const body = { sale_id: saleId, amount, expected_version: resource_version };
  return command(sandbox, sandbox.credentials.bank, url, body);
}

export async function paymentOf(sandbox: Sandbox, paymentId: string) {
  const reply = await get(sandbox, sandbox.credentials.bank, `/api/v1/payments/${paymentId}`);
  return reply.json.data;
}

export interface PaidLot extends SoldLot {
  paymentId: string;
}

/** A lot that is sold, acknowledged and paid in full by one payment. */
export async function paidLot(sandbox: Sandbox, winning: Winning = {}): Promise<PaidLot> {
  const sold = await acknowledgedLot(sandbox, winning);
  const payment = await paid(sandbox, sold, entryOf(sold));
  await done(allocate(sandbox, payment.id, sold.saleId, sold.amount));
  return { ...sold, paymentId: payment.id };
}

/** An account entry of this sale's own: two sales never share one. */
export const entryOf = ({ saleId }: SoldLot, which = 1) => ({
  utr: `EXMPN-${saleId}-${which}`,
  external_transaction_id: `S-${saleId}-${which}`,
});

/** Authorises the release at the sale's current version. */
export async function authorize(sandbox: Sandbox, { saleId }: SoldLot) {
  const { resource_version } = await saleOf(sandbox, saleId);
  const url = `/api/v1/sale-cases/${saleId}/release-authorizations`;
  return command(sandbox, sandbox.credentials.bank, url, { ...release, expected_version: resource_version });
}

/** Confirms the collection of a release that nothing has moved yet. */
export async function collect(sandbox: Sandbox, { lotId }: SoldLot, releaseId: string) {
  const event = sandbox.auctions.list().find(({ lots }) => lots.some(({ id }) => id === lotId));
  const url = `/api/v1/events/${event?.id}/lots/${lotId}`;
  const plate = (await get(sandbox, sandbox.credentials.dealer, url)).json.data.registration_number;
  const body = { collector: 'R. Iyer', vehicle_identity: plate, expected_version: 1 };
  const path = `/api/v1/release-authorizations/${releaseId}/collections`;
  return command(sandbox, sandbox.credentials.bank, path, body);
}

/** Delivers the vehicle of a paid lot, and gives the id of the release. */
export async function deliver(sandbox: Sandbox, sold: SoldLot): Promise<string> {
  const { id } = await done(authorize(sandbox, sold));
  await done(collect(sandbox, sold, id));
  return id;
}

/** Asks for the cancellation of a sale, at its current version. */
export async function askToCancel(
  sandbox: Sandbox,
  sold: SoldLot,
  change: Record<string, unknown> = {},
  who: SandboxCredentials = sold.who,
) {
  const { resource_version } = await saleOf(sandbox, sold.saleId);
  return command(sandbox, who, `/api/v1/sale-cases/${sold.saleId}/cancellation-requests`, {
    reason_code: 'buyer_withdrew',
    explanation: 'The finance of the buyer fell through',
    expected_version: resource_version,
    ...change,
  });
}

/** Decides such a request, at its first version. */
export const decideCancellation = (
  sandbox: Sandbox,
  id: string,
  change: Record<string, unknown> = {},
  who = sandbox.credentials.bank,
) =>
  command(sandbox, who, `/api/v1/sale-cancellation-requests/${id}/decisions`, {
    decision: 'approved',
    reason: 'Agreed with the buyer',
    expected_version: 1,
    ...change,
  });

/** Cancels a sale, with the bank's consent, and gives the id of the request. */
export async function cancel(sandbox: Sandbox, sold: SoldLot): Promise<string> {
  const { id } = await done(askToCancel(sandbox, sold));
  await done(decideCancellation(sandbox, id));
  return id;
}

/** Asks for money of a payment back, at its current version. */
export async function askBack(
  sandbox: Sandbox,
  paymentId: string,
  amount: string,
  change: Record<string, unknown> = {},
  who = sandbox.credentials.bank,
) {
  const { resource_version } = await paymentOf(sandbox, paymentId);
  return command(sandbox, who, `/api/v1/payments/${paymentId}/refund-requests`, {
    amount,
    reason: 'Paid twice',
    expected_version: resource_version,
    ...change,
  });
}

/** Decides a refund request, at its first version. */
export const decideRefund = (
  sandbox: Sandbox,
  id: string,
  change: Record<string, unknown> = {},
  who = sandbox.credentials.bank,
) =>
  command(sandbox, who, `/api/v1/refund-requests/${id}/decisions`, {
    decision: 'approved',
    reason: 'Checked against the account',
    expected_version: 1,
    ...change,
  });

/** Has money of a payment refunded, as far as the bank's approval, and gives the refund's id. */
export async function refund(sandbox: Sandbox, paymentId: string, amount: string): Promise<string> {
  const { id } = await done(askBack(sandbox, paymentId, amount));
  return (await done(decideRefund(sandbox, id))).data.refund_id;
}

/** Raises a dispute about a sale. */
export const dispute = (
  sandbox: Sandbox,
  { saleId, who }: SoldLot,
  change: Record<string, unknown> = {},
  by: SandboxCredentials = who,
) =>
  command(sandbox, by, '/api/v1/disputes', {
    sale_id: saleId,
    reason_code: 'not_as_described',
    explanation: 'The odometer shows more',
    ...change,
  });

/** The ids that the newest messages of a type name, oldest first: records that no list has are learnt from these. */
export async function told(
  sandbox: Sandbox,
  type: string,
  who = sandbox.credentials.bank,
): Promise<string[]> {
  const { data } = (await get(sandbox, who, '/api/v1/notifications')).json;
  return data
    .filter((notice: { type: string }) => notice.type === type)
    .map(({ subject }: { subject: string }) => /\b[a-z]{3}_[0-9a-f]+/.exec(subject)?.[0])
    .reverse();
}

/** The types in an inbox, oldest first, but for what the vehicle's own status tells. */
export const news = async (sandbox: Sandbox, who: SandboxCredentials): Promise<string[]> =>
  (await inbox(sandbox, who)).filter((type) => type !== 'vehicle.status_changed');

/** Everything that can be read of some paid sales, and of these paths too, and all that was committed. */
export const everything = (sandbox: Sandbox, solds: readonly PaidLot[], paths: readonly string[] = []) =>
  all(sandbox, solds, [
    ...solds.flatMap(({ saleId, paymentId }) => [
      `/api/v1/sale-cases/${saleId}`,
      `/api/v1/payments/${paymentId}`,
    ]),
    ...paths,
  ]);
