// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { DocumentRecord } from './schemas.js';

export const documents = {
  upload: {
    name: 'documents.upload',
    id: 'A72',
    method: 'POST',
    path: '/document-uploads',
    availability: 'callable',
    effect: 'command',
    actors: ['bank', 'partner'],
    body: {
      fields: {
        sale_id: 'filled',
        purpose: 'filled',
        filename: 'filled',
        content_base64: 'base64',
        idempotency_key: 'uuid',
      },
    },
    fileFields: ['content_base64'],
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: DocumentRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  get: {
    name: 'documents.get',
    id: 'A73',
    method: 'GET',
    path: '/documents/{document}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { document: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: DocumentRecord, server_time: { optional: 'string' } } },
  },
  download: {
    name: 'documents.download',
    id: 'A73',
    method: 'GET',
    path: '/documents/{document}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    fixedQuery: { download: '1' },
    params: { document: 'pathId' },
    success: [200],
    envelope: 'binary',
  },
} satisfies Readonly<Record<string, Route>>;
