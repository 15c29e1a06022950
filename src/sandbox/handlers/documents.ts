import { documents } from '../../api/documents.js';
import { type Call, type Handler, param } from '../call.js';
import { mediaTypeOf } from '../file-types.js';
import { file, notFound, Refusal, type Reply, read } from '../replies.js';
import { namedSale } from '../workflow/asked-sale.js';
import { find } from '../workflow/cases.js';
import { fresh, touch } from '../workflow/changes.js';
import { carryOutOnce, conflict, unfit } from '../workflow/commands.js';
import type { EvidenceDocument } from '../workflow/entities.js';
import type { ScanResult } from '../workflow/scanner.js';
import { bytesOf, digestOf, mustBeFileName, mustBeInBounds, uploadBody } from '../workflow/uploads.js';
import { documentDetail, documentView } from '../workflow/views.js';
import type { World } from '../world.js';

const { operations } = documents;

/** A72, A73: evidence of a sale. Its bank and its partner see all of it. */
export const documentHandlers: Readonly<Record<string, Handler>> = {
  [operations.upload.id]: upload,
  // One id and one path for two operations: the query tells which.
  [operations.get.id]: (call) => (call.operation === operations.download ? download(call) : get(call)),
};

function upload(call: Call): Reply {
  return carryOutOnce(call, uploadBody(call), (body) => {
    const { world } = call;
    const sale = namedSale(call, body.sale_id);
    if (world.settings.variants['document-purposes'] === 'shown' && body.purpose !== 'payment_evidence') {
      throw unfit('purpose', 'The purpose is payment_evidence.');
    }
    mustBeFileName(body.filename);
    const content = bytesOf(body.content_base64);
    mustBeInBounds(call, content);
    const document: EvidenceDocument = {
      ...fresh(world, 'doc', 'document', 'awaiting_scan', sale.owner),
      sale,
      purpose: body.purpose,
      filename: body.filename,
      mime: mediaTypeOf(content, body.filename),
      content,
      digest: digestOf(call, content),
    };
    world.cases.documents.set(document.id, document);
    const { purpose, filename, mime } = document;
    world.scanner.scan(
      { documentId: document.id, saleId: sale.id, purpose, filename, mime, content },
      (result) => scanned(world, document, result),
    );
    return { record: document, view: documentView(document), sale };
  });
}

/** What an unclean document is called is not shown (unknowns: `document-states`); ready it never is. */
function scanned(world: World, document: EvidenceDocument, result: ScanResult): void {
  const state = result === 'clean' ? 'ready' : world.settings.variants['document-states'];
  if (state === document.state) return;
  document.state = state;
  touch(world, document);
}

function get(call: Call): Reply {
  const document = documentOf(call);
  const url = `${call.world.baseUrl}/documents/${document.id}?download=1`;
  return read(call, documentDetail(document, document.state === 'ready' ? url : null));
}

function download(call: Call): Reply {
  const { state, content, mime, filename } = documentOf(call);
  if (state === 'ready') return file({ bytes: content, contentType: mime }, filename);
  if (call.world.settings.variants['document-download-reply'] === '404') throw new Refusal(notFound());
  throw conflict(
    state === 'awaiting_scan'
      ? 'The document awaits its scan; it can be fetched once it is ready.'
      : 'The scan found the document unclean; it is given to nobody.',
  );
}

function documentOf(call: Call): EvidenceDocument {
  return find(call.party, call.world.cases.documents, param(call, 'document'));
}
