import { saleCancellations } from '../../api/sale-cancellations.js';
import { saleCases } from '../../api/sale-cases.js';
import { type Call, type Handler, param } from '../call.js';
import type { Reply } from '../replies.js';
import { mustBeApproved, saleInPath } from '../workflow/asked-sale.js';
import { find } from '../workflow/cases.js';
import { fresh, touch, touchFirst, touchLot, touchSale } from '../workflow/changes.js';
import { mustBeReasonCode } from '../workflow/command-values.js';
import { carryOutOnce, conflict, expectVersion } from '../workflow/commands.js';
import type { Payment, Sale } from '../workflow/entities.js';
import { mustNotBeHeld, pendingCancellation } from '../workflow/holds.js';
import { announce } from '../workflow/notices.js';
import { askForRefund } from '../workflow/refund-moves.js';
import { partsOf } from '../workflow/refund-parts.js';
import { isDelivered, releasesOf, revokeRelease } from '../workflow/release-moves.js';
import type { SaleCancellation } from '../workflow/reversal-entities.js';
import { saleCancellationView } from '../workflow/reversal-views.js';
import { vehicleStatusChanged } from '../workflow/vehicle-status.js';
import { saysYes } from '../workflow/verdict.js';
import type { World } from '../world.js';

const { operations } = saleCancellations;

/** A26, A27: asking for the cancellation of an approved sale, and the bank's decision. */
export const saleCancellationHandlers: Readonly<Record<string, Handler>> = {
  [saleCases.operations.requestCancellation.id]: request,
  [operations.decide.id]: decide,
};

/** The sale goes on meanwhile, but for what the request freezes. */
function request(call: Call): Reply {
  return carryOutOnce(call, saleCases.operations.requestCancellation.body, (body) => {
    const { world } = call;
    const sale = saleInPath(call);
    expectVersion(sale, body.expected_version);
    mustBeReasonCode(world, body.reason_code);
    mustBeApproved(sale);
    if (pendingCancellation(world, sale) !== undefined) {
      throw conflict('A request to cancel this sale waits for its decision.');
    }
    if (world.settings.variants['sale-cancellation-after-delivery'] === 'at-request') {
      mustNotBeDelivered(world, sale);
    }
    const cancellation: SaleCancellation = {
      ...fresh(world, 'scn', 'sale_cancellation', 'pending', sale.owner),
      sale,
      reasonCode: body.reason_code,
      explanation: body.explanation,
      decided: undefined,
    };
    world.cases.saleCancellations.set(cancellation.id, cancellation);
    touchFirst(world, sale);
    touchLot(world, sale.lot);
    tell(world, cancellation, 'requested', `asks to cancel sale ${sale.id} of ${sale.lot.vehicle.title}`);
    return committed(cancellation);
  });
}

/** An approval ends the sale, takes a release back and asks for refunds. What was approved and paid stays on record. */
function decide(call: Call): Reply {
  return carryOutOnce(call, operations.decide.body, (body) => {
    const { world } = call;
    const cancellation = find(call.party, world.cases.saleCancellations, param(call, 'request'));
    const { sale } = cancellation;
    expectVersion(cancellation, body.expected_version);
    const yes = saysYes(world, body.decision, 'approved');
    if (cancellation.state !== 'pending') throw conflict('The request is decided already.');
    if (yes) {
      mustNotBeDelivered(world, sale);
      mustNotBeHeld(world, sale, 'cancellation');
    }
    cancellation.state = yes ? 'approved' : 'rejected';
    cancellation.decided = { decision: body.decision, reason: body.reason ?? null };
    touch(world, cancellation);
    if (yes) {
      sale.cancelled = true;
      sale.state = world.settings.variants['sale-states'];
    }
    touchSale(world, sale);
    const words = yes ? `is approved: sale ${sale.id} is cancelled` : `is rejected: sale ${sale.id} goes on`;
    tell(world, cancellation, cancellation.state, words);
    if (yes) reverse(world, sale);
    return committed(cancellation);
  });
}

/** What a cancelled sale leaves to be done. */
function reverse(world: World, sale: Sale): void {
  const { cases, settings } = world;
  for (const release of releasesOf(cases, sale)) {
    if (release.state === 'valid') revokeRelease(world, release, 'The sale is cancelled.');
  }
  vehicleStatusChanged(world, sale, 'published');
  if (settings.variants['sale-cancellation-work-items'] === 'none') return;
  for (const payment of cases.payments.values()) askBack(world, payment, sale);
}

function askBack(world: World, payment: Payment, sale: Sale): void {
  const parts = partsOf(world, payment, sale);
  if (parts.length > 0) askForRefund(world, payment, parts, 'The sale is cancelled.');
}

function mustNotBeDelivered({ cases }: World, sale: Sale): void {
  if (!isDelivered(cases, sale)) return;
  throw conflict('The vehicle is delivered: this takes an exception or dispute workflow.');
}

function tell(world: World, cancellation: SaleCancellation, what: string, words: string): void {
  announce(world, `sale.cancellation_${what}`, cancellation, `Request ${cancellation.id} ${words}`);
}

function committed(cancellation: SaleCancellation) {
  const { sale } = cancellation;
  return {
    record: cancellation,
    view: saleCancellationView(cancellation),
    sale,
    bidId: sale.bid.id,
  };
}
