import { limits } from '../../api/common.js';
import { saleCases } from '../../api/sale-cases.js';
import type { Call, Handler } from '../call.js';
import { type Reply, read } from '../replies.js';
import { mustBeApproved, saleInPath } from '../workflow/asked-sale.js';
import { fresh, touchSale } from '../workflow/changes.js';
import { carryOutOnce, conflict, expectCurrent, expectVersion, unfit } from '../workflow/commands.js';
import type { Sale } from '../workflow/entities.js';
import { readyEvidence } from '../workflow/evidence.js';
import { mustNotBeHeld } from '../workflow/holds.js';
import { announce } from '../workflow/notices.js';
import { isDelivered } from '../workflow/release-moves.js';
import { milestonesOf, transferVersion } from '../workflow/transfers.js';
import type { Transfer } from '../workflow/vehicle-entities.js';
import { transferData, transferView } from '../workflow/vehicle-views.js';

const { operations } = saleCases;

/** A57, A58: milestones of the ownership transfer, as the bank reports them. */
export const transferHandlers: Readonly<Record<string, Handler>> = {
  [operations.updateTransfer.id]: record,
  [operations.transferStatus.id]: status,
};

function record(call: Call): Reply {
  return carryOutOnce(call, operations.updateTransfer.body, (body) => {
    const { world } = call;
    const sale = saleInPath(call);
    expectItsVersion(call, sale, body.expected_version);
    mustBeApproved(sale);
    mustNotBeHeld(world, sale, 'transfer');
    mustBeCollected(call, sale);
    mustGoOn(call, sale);
    mustBeTaken(call, body.status);
    if (Date.parse(body.occurred_at) > call.now() + limits.clockDifferenceSeconds * 1_000) {
      throw unfit('occurred_at', 'A milestone can not have been reached in the future.');
    }
    const checklist = body.document_checklist ?? null;
    mustBeDocuments(call, sale, checklist ?? []);
    const evidenceId = readyEvidence(call, sale, body.evidence_id);
    const transfer: Transfer = {
      ...fresh(world, 'trf', 'transfer', body.status, sale.owner),
      sale,
      responsibleParty: body.responsible_party,
      reason: body.reason ?? null,
      evidenceId,
      documentChecklist: checklist,
      occurredAt: body.occurred_at,
      verified: false,
    };
    world.cases.transfers.set(transfer.id, transfer);
    if (world.settings.variants['release-and-transfer-version'] === 'sale') touchSale(world, sale);
    const subject = `Transfer ${transfer.id}: ownership of ${sale.lot.vehicle.title} of sale ${sale.id} is reported ${body.status}`;
    announce(world, 'transfer.updated', transfer, subject);
    return { record: transfer, view: transferView(world, transfer), sale };
  });
}

/** Where the transfer stands: at its latest milestone. Confirmed is it only where that one is. */
function status(call: Call): Reply {
  const { world } = call;
  const { variants } = world.settings;
  const sale = saleInPath(call);
  const milestones = milestonesOf(world, sale);
  const latest = milestones.at(-1);
  const hasOwnVersion =
    variants['projection-versions'] === 'own' || variants['release-and-transfer-version'] === 'transfer';
  return read(call, {
    sale_id: sale.id,
    state: latest?.state ?? 'not_started',
    government_verified: latest?.verified ?? false,
    milestones: milestones.map((each) =>
      variants['transfer-milestones'] === 'records' ? transferView(world, each) : transferData(world, each),
    ),
    resource_version: hasOwnVersion ? transferVersion(world, sale) : sale.version,
  });
}

/** The version that A57 expects is the sale's, or the one that A58 shows (unknowns: `release-and-transfer-version`). */
function expectItsVersion({ world }: Call, sale: Sale, expected: number): void {
  if (world.settings.variants['release-and-transfer-version'] === 'sale') expectVersion(sale, expected);
  else expectCurrent(expected, transferVersion(world, sale), 'the version of this transfer');
}

function mustBeCollected({ world }: Call, sale: Sale): void {
  if (world.settings.variants['transfer-before-collection'] === 'any-time') return;
  if (isDelivered(world.cases, sale)) return;
  throw conflict('The vehicle is not collected yet.');
}

/** Nothing follows the end of a transfer (unknowns: `transfer-order`). */
function mustGoOn({ world }: Call, sale: Sale): void {
  if (world.settings.variants['transfer-order'] === 'open') return;
  const state = milestonesOf(world, sale).at(-1)?.state;
  if (state === 'completed' || state === 'rejected') throw conflict(`The transfer is ${state} already.`);
}

function mustBeTaken({ world }: Call, wanted: string): void {
  const spelling = world.settings.variants['transfer-states'];
  const taken = ['submitted', spelling, 'completed', 'rejected'];
  if (spelling === 'any' || taken.includes(wanted)) return;
  throw unfit('status', `The status is one of ${taken.join(', ')}.`);
}

/** A checklist of documents names such of the sale (unknowns: `transfer-document-checklist`). */
function mustBeDocuments({ world }: Call, sale: Sale, checklist: readonly string[]): void {
  if (world.settings.variants['transfer-document-checklist'] === 'names') return;
  const at = checklist.findIndex((id) => world.cases.documents.get(id)?.sale !== sale);
  if (at >= 0) throw unfit(`document_checklist.${at}`, 'This is not a document of the sale.');
}
