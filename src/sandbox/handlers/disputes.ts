import * as z from 'zod';
import { filledText } from '../../api/common.js';
import { disputes } from '../../api/disputes.js';
import { type Call, type Handler, param } from '../call.js';
import { type Reply, read } from '../replies.js';
import { namedSale } from '../workflow/asked-sale.js';
import { find } from '../workflow/cases.js';
import { mustBeReasonCode } from '../workflow/command-values.js';
import { carryOutOnce, conflict } from '../workflow/commands.js';
import { openDispute } from '../workflow/dispute-moves.js';
import { readyEvidence } from '../workflow/evidence.js';
import { disputeView } from '../workflow/reversal-views.js';

const { operations } = disputes;

/** A50, A51: disputes about sales. What they freeze is looked up where it would happen. */
export const disputeHandlers: Readonly<Record<string, Handler>> = {
  [operations.create.id]: raise,
  [operations.get.id]: (call) =>
    read(call, disputeView(find(call.party, call.world.cases.disputes, param(call, 'dispute')))),
};

function raise(call: Call): Reply {
  const { variants } = call.world.settings;
  const body = variants['dispute-desired-resolution'] === 'refused' ? operations.create.body : withResolution;
  return carryOutOnce(call, body, ({ sale_id, reason_code, explanation, evidence_id }) => {
    const { world } = call;
    const sale = namedSale(call, sale_id);
    mustBeReasonCode(world, reason_code);
    if (variants['dispute-sale-states'] === 'approved' && sale.terms === undefined) {
      throw conflict('The sale is not approved: there is nothing to dispute yet.');
    }
    const evidenceId = readyEvidence(call, sale, evidence_id);
    const dispute = openDispute(world, sale, { reasonCode: reason_code, explanation, evidenceId });
    return { record: dispute, view: disputeView(dispute), sale };
  });
}

/** The field is described, its name is not shown: this one is made up. */
const withResolution = operations.create.body.extend({ desired_resolution: z.optional(filledText) });
