// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { BankReceiptRecord } from './schemas.js';

export const bankReceipts = {
  import: {
    name: 'bankReceipts.import',
    id: 'A42',
    method: 'POST',
    path: '/bank-receipts/imports',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    body: {
      fields: {
        sale_id: 'filled',
        bank_account_reference: 'filled',
        utr: 'filled',
        external_transaction_id: 'filled',
        amount: 'amount',
        currency: { values: ['INR'] },
        value_date: 'date',
        evidence_id: { optional: 'filled' },
        idempotency_key: 'uuid',
      },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: BankReceiptRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;
