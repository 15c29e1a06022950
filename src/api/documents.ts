import * as z from 'zod';
import { filledText, idempotencyKey, openChoice, openEnum, pathId, text } from './common.js';
import { nullable, optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { workflowRecord } from './records.js';

export const DocumentData = z
  .object({
    sale_id: nullable.text('Sale of the document.'),
    purpose: optional.of(openEnum('payment_evidence'), 'Purpose of the document.'),
    filename: optional.text('File name as uploaded.'),
    mime: nullable.text('Media type of the file.'),
    bytes: optional.int('Size of the file in bytes.'),
    digest: optional.text('SHA-256 of the file; its encoding is undocumented.'),
    download_url: nullable.text('URL of the file for a signed GET. Only present when you read the metadata.'),
  })
  .meta({ title: 'An evidence document, without its bytes.', section: 'Workflow record' });

export const DocumentRecord = workflowRecord({
  kind: 'document',
  states: ['awaiting_scan', 'ready'],
  data: DocumentData,
  what: 'an evidence document',
});

/** Standard alphabet, padded (unknowns: `document-base64-form`). */
const base64 = text('base64');

const document = pathId.describe('Document id.');

export const documents = resource('documents', 'Evidence documents: upload, follow the scan, download.', {
  upload: command({
    id: 'A72',
    path: '/document-uploads',
    scope: 'documents:write',
    actors: ['bank', 'partner'],
    summary: 'Uploads an evidence document of a sale. It can be used once it is scanned.',
    notes: [
      'The returned state is `awaiting_scan`. The document can be used as evidence and downloaded only after the scanner finds the file clean and the state is `ready`. The service never skips the scan, even if the scanner is down.',
    ],
    section: 'Documents and notifications',
    body: z.strictObject({
      sale_id: filledText.describe('The sale that the document belongs to.'),
      purpose: openChoice('payment_evidence').describe(
        'Purpose of the document; other values are undocumented.',
      ),
      filename: filledText.describe('Name under which the file is recorded.'),
      content_base64: base64
        .describe('The file as padded standard base64. Limits of size and media type are undocumented.')
        .meta({ file: true }),
      idempotency_key: idempotencyKey,
    }),
    reply: DocumentRecord,
  }),
  get: read({
    id: 'A73',
    path: '/documents/{document}',
    scope: 'documents:read',
    actors: ['bank', 'partner'],
    summary: 'Reads the metadata of a document: state, size, digest, download URL.',
    notes: [
      'Read it again until the state is `ready`; states other than these and `awaiting_scan` are undocumented.',
    ],
    section: 'Documents and notifications',
    params: { document },
    reply: DocumentRecord,
  }),
  download: read({
    id: 'A73',
    path: '/documents/{document}',
    scope: 'documents:read',
    actors: ['bank', 'partner'],
    summary: 'Streams the bytes of a document whose state is `ready`.',
    notes: ['Access is checked again on every download.'],
    section: 'Documents and notifications',
    params: { document },
    fixedQuery: { download: '1' },
    envelope: 'binary',
  }),
});
