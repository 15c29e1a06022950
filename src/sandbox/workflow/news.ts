import { rupees } from '../money.js';
import { type Data, mayHave, momentIn, type Owner, type Rec, type Sale, view } from '../records.js';
import { vehicleOf } from '../seed/inventory.js';
import { isoTime } from '../times.js';
import { subscribable } from '../webhooks/webhooks.js';
import type { World } from '../world.js';
import { duesOf } from './funds.js';

/**
 * Sends a committed change to bank and partner: a notification in each inbox, and a webhook event for subscribable
 * types. `words` complete the subject after the record's name. `data` overrides the event data.
 */
export function announce(
  world: World,
  type: string,
  about: Rec,
  words = stateWords(about),
  data?: Data,
): void {
  const { id, kind, owner, sale, bid, version } = about;
  const { bankId, partnerId } = owner;
  const readers: Owner[] = [{ bankId, partnerId: null }];
  if (partnerId !== null) readers.push({ bankId, partnerId });
  const whole = sale === about ? undefined : (sale ?? bid);
  const of = whole === undefined ? '' : ` of ${whole.kind} ${whole.id}`;
  const subject = `${headline(type)}: ${spaced(kind)} ${id}${of} ${words}`;
  for (const owner of readers) {
    const message = { type, subject, resource_version: version, acknowledgment: null };
    world.flow.make('notification', 'new', { owner, data: message });
  }
  if (!subscribable.has(type)) return;
  world.webhooks.publish(type, data ?? eventData(type, about), (party) => mayHave(party, about.owner));
}

function stateWords({ state, data }: Rec): string {
  const { amount } = data;
  return `is ${spaced(state)}${amount === undefined ? '' : `: INR ${String(amount)}`}`;
}

/** Formats a type such as `sale.payment_due` as `Sale payment due`. */
function headline(type: string): string {
  const words = spaced(type.replace('.', ' '));
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Replaces underscores with spaces. */
export function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}

/** Event data: the documented shape for an approval, else the record with ids and version. */
function eventData(type: string, about: Rec): Data {
  const { id, state, sale, version, data } = about;
  const ids = { resource_id: id, resource_version: version, lot_id: sale?.lot.id ?? null };
  if (type !== 'sale.approved') return { ...view(about), ...ids, sale_id: sale?.id ?? null };
  const { bid_id, bidder_reference, amount, currency, terms_version, due_at } = data;
  const terms = { bid_id, bidder_reference, amount, currency, terms_version, due_at };
  const flags = {
    winner: true,
    bank_decision_final: true,
    bank_confirmation_required: false,
    buyer_acknowledgment_required: true,
  };
  return { ...ids, sale: { id, state, ...flags, ...terms } };
}

/** Adds a committed approval to the winner updates, with the data of the `sale.approved` event. */
export function addWinner(world: World, sale: Sale): void {
  const id = world.ids.next('wup');
  const type = 'sale.approved';
  const shown = { id, type, created_at: isoTime(world.clock.now()), ...eventData(type, sale) };
  world.flow.winners.push({ id, sale, shown });
}

/** Schedules one payment reminder a day before the due time. Skipped if less than a day is left. */
export function remindOfDue(world: World, sale: Sale): void {
  const wait = momentIn(sale.data, 'due_at') - aDayMs - world.clock.now();
  if (wait <= 0) return;
  world.clock.schedule(wait, () => {
    const { remaining } = duesOf(world.flow, sale);
    if (remaining === 0n) return;
    const words = `is paid except for INR ${rupees(remaining)}, due by ${String(sale.data['due_at'])}`;
    announce(world, 'sale.payment_due', sale, words);
  });
}

/** Runs `work` and announces every sale whose payment state changed. */
export function watchingDues<T>(world: World, sales: Iterable<Sale>, work: () => T): T {
  const before = new Map([...sales].map((sale) => [sale, duesOf(world.flow, sale).state] as const));
  const done = work();
  for (const [sale, state] of before) {
    const now = duesOf(world.flow, sale).state;
    if (now !== state) announce(world, 'sale.payment_status_changed', sale, `is ${spaced(now)}`);
  }
  return done;
}

/** Moves the vehicle of a sale, or a vehicle without a sale, and announces the change. */
export function moveVehicle(world: World, about: Rec, next: string): void {
  const { sale } = about;
  const vehicle = sale === undefined ? about : vehicleOf(world, sale.lot);
  const previous = vehicle.state;
  if (previous === next) return;
  vehicle.state = next;
  world.flow.touch(vehicle);
  const words = `(${String(vehicle.data['title'])}): ${next}, and ${previous} before`;
  announce(world, 'vehicle.status_changed', about, words, {
    sale_id: sale?.id ?? null,
    lot_id: vehicle.lot?.id ?? null,
    vehicle_id: vehicle.id,
    previous_vehicle_status: previous,
    vehicle_status: next,
    inventory_version: vehicle.version,
    resource_version: about.version,
  });
}

const aDayMs = 24 * 3_600_000;
