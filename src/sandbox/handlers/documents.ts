import { documents } from '../../api/documents.js';
import { type Call, type Handler, param } from '../call.js';
import { sha256Hex } from '../canonical.js';
import { mediaTypeOf } from '../file-types.js';
import { file, type Reply, read } from '../replies.js';
import { namedSale } from '../workflow/asked-sale.js';
import { find } from '../workflow/cases.js';
import { fresh, touch } from '../workflow/changes.js';
import { carryOutOnce, conflict, unfit } from '../workflow/commands.js';
import type { EvidenceDocument } from '../workflow/entities.js';
import { documentDetail, documentView } from '../workflow/views.js';

const { operations } = documents;

/** A72, A73: evidence of a sale. Its bank and its partner see all of it. */
export const documentHandlers: Readonly<Record<string, Handler>> = {
  [operations.upload.id]: upload,
  // One id and one path for two operations: the query tells which.
  [operations.get.id]: (call) => (call.operation === operations.download ? download(call) : get(call)),
};

function upload(call: Call): Reply {
  return carryOutOnce(call, operations.upload.body, (body) => {
    const { world } = call;
    const sale = namedSale(call, body.sale_id);
    mustBeFileName(body.filename);
    const content = Buffer.from(body.content_base64, 'base64');
    const document: EvidenceDocument = {
      ...fresh(world, 'doc', 'document', 'awaiting_scan', sale.owner),
      sale,
      purpose: body.purpose,
      filename: body.filename,
      mime: mediaTypeOf(content, body.filename),
      content,
      digest: sha256Hex(content),
    };
    world.cases.documents.set(document.id, document);
    world.scanner.scan(() => {
      document.state = 'ready';
      touch(world, document);
    });
    return { record: document, view: documentView(document), sale };
  });
}

function get(call: Call): Reply {
  const document = documentOf(call);
  const url = `${call.world.baseUrl}/documents/${document.id}?download=1`;
  return read(call, documentDetail(document, document.state === 'ready' ? url : null));
}

function download(call: Call): Reply {
  const { state, content, mime, filename } = documentOf(call);
  if (state !== 'ready') throw conflict('The document awaits its scan; it can be fetched once it is ready.');
  return file({ bytes: content, contentType: mime }, filename);
}

/** What a receiver may save the file as: a name, never a path. */
function mustBeFileName(name: string): void {
  if (/[/\\\p{Cc}]/u.test(name) || name === '.' || name === '..') {
    throw unfit('filename', 'The filename is a name without a path and without control characters.');
  }
  if ([...name].length > longestName) {
    throw unfit('filename', `The filename has at most ${longestName} characters.`);
  }
}

function documentOf(call: Call): EvidenceDocument {
  return find(call.party, call.world.cases.documents, param(call, 'document'));
}

const longestName = 255;
