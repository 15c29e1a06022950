import type { Call } from '../call.js';
import { conflict, unfit } from './commands.js';
import type { Sale } from './entities.js';

/**
 * The id of the evidence that a command names, null where it names none. It must be a document of the same sale, and
 * scanned: the scan is skipped for nobody. Refuses with a 422 on `evidence_id`, or, a document that isn't ready, with a
 * 409 where the row `evidence-not-ready` has it so.
 */
export function readyEvidence(call: Call, sale: Sale, id: string | undefined): string | null {
  if (id === undefined) return null;
  const document = call.world.cases.documents.get(id);
  if (document?.sale !== sale) throw unfit('evidence_id', 'This is not a document of the sale.');
  if (document.state === 'ready') return id;
  const message =
    document.state === 'awaiting_scan'
      ? 'The document awaits its scan; it is evidence as soon as it is ready.'
      : 'The scan found the document unclean; it is no evidence.';
  throw call.world.settings.variants['evidence-not-ready'] === '422'
    ? unfit('evidence_id', message)
    : conflict(message);
}
