import * as z from 'zod';
import { filledText, idempotencyKey, openChoice, openEnum, pathId, text } from './common.js';
import type { Resource } from './operation.js';
import { workflowRecord } from './records.js';

export const DocumentData = z
  .object({
    sale_id: z.string().nullable().optional().describe('The sale that it belongs to.'),
    purpose: openEnum('payment_evidence').optional().describe('What the document is for.'),
    filename: z.string().optional().describe('File name as uploaded.'),
    mime: z.string().nullable().optional().describe('Media type of the file.'),
    bytes: z.int().optional().describe('Size of the file in bytes.'),
    digest: z.string().optional().describe('SHA-256 of the file; how it is encoded is undocumented.'),
    download_url: z
      .string()
      .nullable()
      .optional()
      .describe('Where the file can be fetched with a signed GET; only where the metadata is read.'),
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

export const documents = {
  name: 'documents',
  summary: 'Evidence documents: upload, follow the scan, download.',
  operations: {
    upload: {
      id: 'A72',
      method: 'POST',
      path: '/document-uploads',
      scope: 'documents:write',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'command',
      summary: 'Uploads an evidence document of a sale; it waits for its scan before it can be used.',
      notes: [
        'The record comes back as `awaiting_scan`. Until the scanner has found the file clean and the state is `ready`, the document serves neither as evidence nor for download; the service never skips the scan, not even while the scanner is down.',
      ],
      section: 'Documents and notifications',
      body: z.strictObject({
        sale_id: filledText.describe('The sale that the document belongs to.'),
        purpose: openChoice('payment_evidence').describe(
          'What the document is for; further values are undocumented.',
        ),
        filename: filledText.describe('Name under which the file is recorded.'),
        content_base64: base64
          .describe(
            'The bytes of the file as padded standard base64. No limit of size or media type is shown.',
          )
          .meta({ file: true }),
        idempotency_key: idempotencyKey,
      }),
      success: [200],
      envelope: 'command',
      reply: DocumentRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
    get: {
      id: 'A73',
      method: 'GET',
      path: '/documents/{document}',
      scope: 'documents:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Reads what is known of a document: state, size, digest, download address.',
      notes: [
        'Read it again until the state is `ready`; other states beside `awaiting_scan` are undocumented.',
      ],
      section: 'Documents and notifications',
      params: { document },
      success: [200],
      envelope: 'read',
      reply: DocumentRecord,
      refusals: ['NOT_FOUND'],
    },
    download: {
      id: 'A73',
      method: 'GET',
      path: '/documents/{document}',
      scope: 'documents:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Streams the bytes of a document whose state is `ready`.',
      notes: ['Access is checked again on every download.'],
      section: 'Documents and notifications',
      params: { document },
      fixedQuery: { download: '1' },
      success: [200],
      envelope: 'binary',
      refusals: ['NOT_FOUND'],
    },
  },
} as const satisfies Resource;
