// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Amount } from '../api/formats.js';
import type { Route } from '../api/operation.js';
import type { BodyFor, CallOptions, Caller, MutationOptions, VersionedRecord } from '../ports/caller.js';
import type { Pager } from '../ports/list.js';
import type { OfferRecord } from './offers.js';
import type { ReleaseRecord } from './releases.js';
import type { SaleCancellationRecord } from './sale-cancellations.js';
import { offerRecordSchema } from './offers.js';
import { releaseRecordSchema } from './releases.js';
import { saleCancellationRecordSchema } from './sale-cancellations.js';

/**
 * Dues and payments of a sale.
 *
 * API text: Non-record read shapes.
 */
export interface PaymentDues {
  /** Sale id. (API: Non-record read shapes) */
  readonly sale_id: string;
  /** Currency code, INR. (API: Non-record read shapes) */
  readonly currency?: string;
  /** Total amount due, INR decimal string. (API: Non-record read shapes) */
  readonly due_amount: string;
  /** Amount paid and verified, INR decimal string. (API: Non-record read shapes) */
  readonly verified_credits: string;
  /** Remaining amount, INR decimal string. (API: Non-record read shapes) */
  readonly remaining: string;
  /** Amount paid beyond the amount due, INR decimal string. (API: Non-record read shapes) */
  readonly excess: string;
  /** Payment state of the sale. (API: Non-record read shapes) */
  readonly state: 'unpaid' | (string & {});
  /** When payment is due, ISO 8601. (API: Non-record read shapes) */
  readonly due_at?: string | null;
  /** Payment instructions. (API: Non-record read shapes) */
  readonly payee_instructions?: string | { readonly [key: string]: unknown } | null;
  /** Version of the payee instructions. (API: Non-record read shapes) */
  readonly payee_version?: string | number | null;
  /** Increments with every change of a record; which one is undocumented. (API: Non-record read shapes) */
  readonly resource_version: number;
}

/**
 * A sale: bid, buyer, amount, terms and payment instructions.
 *
 * API text: Workflow record.
 */
export interface SaleData {
  /** Bid of the sale. (API: Workflow record) */
  readonly bid_id?: string;
  /** The platform's buyer; null for a direct dealer. (API: Workflow record) */
  readonly bidder_reference?: string | null;
  /** Amount of the sale, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** Version of the terms of the sale. (API: Workflow record) */
  readonly terms_version?: string | number | null;
  /** When the buyer acknowledged decision and terms, ISO 8601; null before. (API: Workflow record) */
  readonly acknowledged_at?: string | null;
  /** Public lot id. (API: Workflow record) */
  readonly lot_id?: string;
  /** When payment is due, ISO 8601. (API: Workflow record) */
  readonly due_at?: string | null;
  /** Payment instructions. (API: Workflow record) */
  readonly payee_instructions?: string | { readonly [key: string]: unknown } | null;
  /** Version of the payee instructions. (API: Workflow record) */
  readonly payee_version?: string | number | null;
  /**
   * The active offer, or null. Only present on a sale read by id. Its fields are undocumented. (API: Workflow
   * record)
   */
  readonly active_offer?: { readonly [key: string]: unknown } | null;
}

/**
 * Payments, documents and allocations of a sale.
 *
 * API text: Non-record read shapes.
 */
export interface SaleReceipts {
  /** Sale id. (API: Non-record read shapes) */
  readonly sale_id: string;
  /** Payments for the sale; the item shape is undocumented. (API: Non-record read shapes) */
  readonly payments?: readonly unknown[];
  /** Documents of the sale; the item shape is undocumented. (API: Non-record read shapes) */
  readonly documents?: readonly unknown[];
  /** Money allocated to the sale; the item shape is undocumented. (API: Non-record read shapes) */
  readonly allocations?: readonly unknown[];
}

/**
 * A sale, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface SaleRecord {
  /** Id of a sale. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'sale' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'approved' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: SaleData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * A milestone of an ownership transfer.
 *
 * API text: Workflow record.
 */
export interface TransferData {
  /** The recorded milestone. (API: Workflow record) */
  readonly status?: 'submitted' | (string & {});
  /** Party responsible for this step. (API: Workflow record) */
  readonly responsible_party?: string | { readonly [key: string]: unknown } | null;
  /** Why, in words. (API: Workflow record) */
  readonly reason?: string | null;
  /** Document that shows the milestone. (API: Workflow record) */
  readonly evidence_id?: string | null;
  /** Documents that the transfer needs or has; which of the two is undocumented. (API: Workflow record) */
  readonly document_checklist?: readonly string[] | null;
  /** When the milestone was reached, ISO 8601. (API: Workflow record) */
  readonly occurred_at?: string;
  /** Sale of the vehicle. (API: Workflow record) */
  readonly sale_id?: string;
  /** Source of the record. (API: Workflow record) */
  readonly verification?: 'operator_reported' | (string & {});
  /** Whether it was verified independently; false until then. (API: Workflow record) */
  readonly government_verified?: boolean;
}

/**
 * An ownership transfer milestone, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface TransferRecord {
  /** Id of an ownership transfer milestone. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'transfer' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'not_started' | 'submitted' | 'completed' | 'rejected' | (string & {});
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: TransferData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Progress of an ownership transfer.
 *
 * API text: Non-record read shapes.
 */
export interface TransferStatus {
  /** Sale id. (API: Non-record read shapes) */
  readonly sale_id: string;
  /** State of the transfer; unknown states pass through. (API: Non-record read shapes) */
  readonly state: 'not_started' | 'submitted' | 'completed' | 'rejected' | (string & {});
  /** Whether it was verified independently; false until then. (API: Non-record read shapes) */
  readonly government_verified?: boolean;
  /** Recorded milestones; the item shape is undocumented. (API: Non-record read shapes) */
  readonly milestones?: readonly unknown[];
  /** Increments with every change of a record; which one is undocumented. (API: Non-record read shapes) */
  readonly resource_version: number;
}

/**
 * Query of `saleCases.list`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesListQuery {
  /** Page number, from 1. (API: Sale, negotiation, cancellation) */
  readonly page?: number | undefined;
}

/**
 * Body of `saleCases.decide`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesDecideBody {
  /** The decision; the set of values is undocumented. (API: Sale, negotiation, cancellation) */
  readonly decision: 'approved' | (string & {});
  /** Id of the bid to decide on. (API: Sale, negotiation, cancellation) */
  readonly bid_id?: string | undefined;
  /** Why, in words. (API: Sale, negotiation, cancellation) */
  readonly reason?: string | undefined;
  /** Version of the terms of the sale. (API: Sale, negotiation, cancellation) */
  readonly terms_version?: string | number | undefined;
  /** When payment is due, ISO 8601 with zone. (API: Sale, negotiation, cancellation) */
  readonly due_at?: string | undefined;
  /** Payment instructions for the buyer. (API: Sale, negotiation, cancellation) */
  readonly payee_instructions?: string | { readonly [key: string]: unknown } | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Sale, negotiation, cancellation)
   */
  readonly expected_version: number;
  /** Id of the accepted offer; required if there is one. (API: Sale, negotiation, cancellation) */
  readonly offer_id?: string | undefined;
}

/**
 * Body of `saleCases.acknowledge`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesAcknowledgeBody {
  /** Version of the terms of the sale. (API: Sale, negotiation, cancellation) */
  readonly terms_version: string | number;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Sale, negotiation, cancellation)
   */
  readonly expected_version: number;
}

/**
 * Body of `saleCases.offer`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesOfferBody {
  /** Amount to offer, INR decimal string. (API: Sale, negotiation, cancellation) */
  readonly amount: Amount;
  /** Currency, always `INR`. (API: Sale, negotiation, cancellation) */
  readonly currency: 'INR';
  /** Version of the terms that go with the offer. (API: Sale, negotiation, cancellation) */
  readonly terms_version: string | number;
  /** Expiry of the offer, ISO 8601 with zone. (API: Sale, negotiation, cancellation) */
  readonly valid_until: string;
  /** Why, in words. The buyer reads it on the offer. (API: Sale, negotiation, cancellation) */
  readonly reason?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Sale, negotiation, cancellation)
   */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `saleCases.requestCancellation`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesRequestCancellationBody {
  /** Why, as a code; the allowed values are undocumented. (API: Sale, negotiation, cancellation) */
  readonly reason_code: string;
  /** Why, in words. (API: Sale, negotiation, cancellation) */
  readonly explanation?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Sale, negotiation, cancellation)
   */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `saleCases.authorizeRelease`.
 *
 * API text: Release, collection, transfer.
 */
export interface SaleCasesAuthorizeReleaseBody {
  /** Person or party that can collect the vehicle. (API: Release, collection, transfer) */
  readonly recipient: string | { readonly [key: string]: unknown };
  /** Handover location. (API: Release, collection, transfer) */
  readonly yard: string | { readonly [key: string]: unknown };
  /** Expiry of the authorisation, ISO 8601 with zone. (API: Release, collection, transfer) */
  readonly expires_at: string;
  /** Day of the collection, such as `2026-03-01`. (API: Release, collection, transfer) */
  readonly collection_date: string;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Release, collection, transfer)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Release, collection, transfer)
   */
  readonly expected_version: number;
}

/**
 * Body of `saleCases.updateTransfer`.
 *
 * API text: Release, collection, transfer.
 */
export interface SaleCasesUpdateTransferBody {
  /** The milestone; the set of values is undocumented. (API: Release, collection, transfer) */
  readonly status: 'submitted' | (string & {});
  /** Party responsible for this step. (API: Release, collection, transfer) */
  readonly responsible_party: string | { readonly [key: string]: unknown };
  /** Why, in words. (API: Release, collection, transfer) */
  readonly reason?: string | undefined;
  /** Id of the document that shows the milestone. (API: Release, collection, transfer) */
  readonly evidence_id?: string | undefined;
  /** Names of documents of the transfer; the values are undocumented. (API: Release, collection, transfer) */
  readonly document_checklist?: readonly string[] | undefined;
  /** When the milestone was reached, ISO 8601 with zone. (API: Release, collection, transfer) */
  readonly occurred_at: string;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Release, collection, transfer)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Release, collection, transfer)
   */
  readonly expected_version: number;
}

export const paymentDuesSchema: ObjectSchema = {
  fields: {
    sale_id: 'string',
    currency: { optional: 'string' },
    due_amount: 'money',
    verified_credits: 'money',
    remaining: 'money',
    excess: 'money',
    state: 'string',
    due_at: { optional: { nullable: 'string' } },
    payee_instructions: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    payee_version: { optional: { nullable: { either: ['string', 'number'] } } },
    resource_version: 'int',
  },
};

export const saleDataSchema: ObjectSchema = {
  fields: {
    bid_id: { optional: 'string' },
    bidder_reference: { optional: { nullable: 'string' } },
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    terms_version: { optional: { nullable: { either: ['string', 'number'] } } },
    acknowledged_at: { optional: { nullable: 'string' } },
    lot_id: { optional: 'string' },
    due_at: { optional: { nullable: 'string' } },
    payee_instructions: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    payee_version: { optional: { nullable: { either: ['string', 'number'] } } },
    active_offer: { optional: { nullable: { map: 'unknown' } } },
  },
};

export const saleReceiptsSchema: ObjectSchema = {
  fields: {
    sale_id: 'string',
    payments: { optional: { list: 'unknown' } },
    documents: { optional: { list: 'unknown' } },
    allocations: { optional: { list: 'unknown' } },
  },
};

export const saleRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: saleDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const transferDataSchema: ObjectSchema = {
  fields: {
    status: { optional: 'string' },
    responsible_party: { optional: { nullable: { either: ['string', { map: 'unknown' }] } } },
    reason: { optional: { nullable: 'string' } },
    evidence_id: { optional: { nullable: 'string' } },
    document_checklist: { optional: { nullable: { list: 'string' } } },
    occurred_at: { optional: 'string' },
    sale_id: { optional: 'string' },
    verification: { optional: 'string' },
    government_verified: { optional: 'boolean' },
  },
};

export const transferRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: transferDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const transferStatusSchema: ObjectSchema = {
  fields: {
    sale_id: 'string',
    state: 'string',
    government_verified: { optional: 'boolean' },
    milestones: { optional: { list: 'unknown' } },
    resource_version: 'int',
  },
};

export const saleCases = {
  list: {
    name: 'saleCases.list',
    id: 'A20',
    method: 'GET',
    path: '/sale-cases',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    query: { fields: { page: { optional: 'positive' } } },
    success: [200],
    envelope: 'workflow_page',
    reply: {
      fields: {
        data: {
          fields: {
            items: { list: saleRecordSchema },
            current_page: 'int',
            last_page: 'int',
            total: { optional: 'int' },
          },
        },
        server_time: { optional: 'string' },
      },
    },
  },
  get: {
    name: 'saleCases.get',
    id: 'A21',
    method: 'GET',
    path: '/sale-cases/{sale}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { sale: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: saleRecordSchema, server_time: { optional: 'string' } } },
  },
  decide: {
    name: 'saleCases.decide',
    id: 'A22',
    method: 'POST',
    path: '/sale-cases/{sale}/decisions',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { sale: 'pathId' },
    body: {
      fields: {
        decision: 'filled',
        bid_id: { optional: 'filled' },
        reason: { optional: 'filled' },
        terms_version: {
          optional: {
            either: ['filled', 'number'],
            problem: 'must be the terms_version that the service gave',
          },
        },
        due_at: { optional: 'dateTime' },
        payee_instructions: {
          optional: {
            either: ['filled', { map: 'unknown' }],
            problem: 'must be a non-empty string or an object',
          },
        },
        idempotency_key: 'uuid',
        expected_version: 'version',
        offer_id: { optional: 'filled' },
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: saleRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  acknowledge: {
    name: 'saleCases.acknowledge',
    id: 'A23',
    method: 'POST',
    path: '/sale-cases/{sale}/acknowledgments',
    availability: 'callable',
    effect: 'command',
    actors: ['partner'],
    params: { sale: 'pathId' },
    body: {
      fields: {
        terms_version: {
          either: ['filled', 'number'],
          problem: 'must be the terms_version that the service gave',
        },
        idempotency_key: 'uuid',
        expected_version: 'version',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: saleRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  offer: {
    name: 'saleCases.offer',
    id: 'A24',
    method: 'POST',
    path: '/sale-cases/{sale}/offers',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { sale: 'pathId' },
    body: {
      fields: {
        amount: 'amount',
        currency: { values: ['INR'] },
        terms_version: {
          either: ['filled', 'number'],
          problem: 'must be the terms_version that the service gave',
        },
        valid_until: 'dateTime',
        reason: { optional: 'filled' },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: offerRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  requestCancellation: {
    name: 'saleCases.requestCancellation',
    id: 'A26',
    method: 'POST',
    path: '/sale-cases/{sale}/cancellation-requests',
    availability: 'callable',
    effect: 'command',
    actors: ['bank', 'partner'],
    params: { sale: 'pathId' },
    body: {
      fields: {
        reason_code: 'filled',
        explanation: { optional: 'filled' },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: saleCancellationRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  paymentDues: {
    name: 'saleCases.paymentDues',
    id: 'A34',
    method: 'GET',
    path: '/sale-cases/{sale}/payment-dues',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { sale: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: paymentDuesSchema, server_time: { optional: 'string' } } },
  },
  receipts: {
    name: 'saleCases.receipts',
    id: 'A46',
    method: 'GET',
    path: '/sale-cases/{sale}/receipts',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { sale: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: saleReceiptsSchema, server_time: { optional: 'string' } } },
  },
  authorizeRelease: {
    name: 'saleCases.authorizeRelease',
    id: 'A52',
    method: 'POST',
    path: '/sale-cases/{sale}/release-authorizations',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { sale: 'pathId' },
    body: {
      fields: {
        recipient: {
          either: ['filled', { map: 'unknown' }],
          problem: 'must be a non-empty string or an object',
        },
        yard: { either: ['filled', { map: 'unknown' }], problem: 'must be a non-empty string or an object' },
        expires_at: 'dateTime',
        collection_date: 'date',
        idempotency_key: 'uuid',
        expected_version: 'version',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: releaseRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  updateTransfer: {
    name: 'saleCases.updateTransfer',
    id: 'A57',
    method: 'POST',
    path: '/sale-cases/{sale}/transfer-updates',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { sale: 'pathId' },
    body: {
      fields: {
        status: 'filled',
        responsible_party: {
          either: ['filled', { map: 'unknown' }],
          problem: 'must be a non-empty string or an object',
        },
        reason: { optional: 'filled' },
        evidence_id: { optional: 'filled' },
        document_checklist: { optional: { list: 'filled' } },
        occurred_at: 'dateTime',
        idempotency_key: 'uuid',
        expected_version: 'version',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: transferRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  transferStatus: {
    name: 'saleCases.transferStatus',
    id: 'A58',
    method: 'GET',
    path: '/sale-cases/{sale}/transfer-status',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { sale: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: transferStatusSchema, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Sales, from the award of a lot to the transfer of ownership.
 *
 * To look up an id, such as A20: `npx vehicle-auction-sdk docs A20`.
 */
export class SaleCases {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the sales that these credentials can see, 25 per page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * API: A20, `GET /sale-cases`, scope `sales:read`; "Sale, negotiation, cancellation".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: SaleCasesListQuery = {}, options?: CallOptions): Pager<SaleRecord> {
    return this.#call.pager<SaleRecord>(saleCases.list, { query }, options);
  }

  /**
   * Reads one sale, with its active offer.
   *
   * API: A21, `GET /sale-cases/{sale}`, scope `sales:read`; "Sale, negotiation, cancellation".
   * @param sale Sale id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(sale: string, options?: CallOptions): Promise<SaleRecord> {
    return this.#call<SaleRecord>(saleCases.get, { path: { sale } }, options);
  }

  /**
   * Requests the cancellation of an approved sale.
   *
   * For approved sales only. The request starts an assessment of the financial and release obligations.
   *
   * API: A26, `POST /sale-cases/{sale}/cancellation-requests`, scope `sales:cancel-request`; "Sale,
   * negotiation, cancellation".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `reason_code`, `explanation`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  requestCancellation<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesRequestCancellationBody>,
    options?: MutationOptions,
  ): Promise<SaleCancellationRecord> {
    return this.#call<SaleCancellationRecord>(
      saleCases.requestCancellation,
      { path: { sale }, body },
      options,
    );
  }

  /**
   * Reads the amounts due, paid and remaining for a sale.
   *
   * Only verified money is credited, not pending payment reports.
   *
   * API: A34, `GET /sale-cases/{sale}/payment-dues`, scope `payments:read`; "Payments, receipts, refunds,
   * disputes".
   * @param sale Sale id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  paymentDues(sale: string, options?: CallOptions): Promise<PaymentDues> {
    return this.#call<PaymentDues>(saleCases.paymentDues, { path: { sale } }, options);
  }

  /**
   * Reads the payments, documents and allocations of a sale.
   *
   * API: A46, `GET /sale-cases/{sale}/receipts`, scope `documents:read`; "Payments, receipts, refunds,
   * disputes".
   * @param sale Sale id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  receipts(sale: string, options?: CallOptions): Promise<SaleReceipts> {
    return this.#call<SaleReceipts>(saleCases.receipts, { path: { sale } }, options);
  }

  /**
   * Reads the progress of the ownership transfer of a sale.
   *
   * `government_verified` is false until the transfer has been verified independently.
   *
   * API: A58, `GET /sale-cases/{sale}/transfer-status`, scope `transfer:read`; "Release, collection,
   * transfer".
   * @param sale Sale id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  transferStatus(sale: string, options?: CallOptions): Promise<TransferStatus> {
    return this.#call<TransferStatus>(saleCases.transferStatus, { path: { sale } }, options);
  }
}

/**
 * Sales, from the award of a lot to the transfer of ownership. As a partner calls it.
 *
 * To look up an id, such as A23: `npx vehicle-auction-sdk docs A23`.
 */
export class PartnerSaleCases extends SaleCases {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Acknowledges the bank's decision and the terms of a sale.
   *
   * This only acknowledges receipt. It places no bid, approves nothing and makes no payment.
   *
   * API: A23, `POST /sale-cases/{sale}/acknowledgments`, scope `sales:acknowledge`; "Sale, negotiation,
   * cancellation".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `terms_version`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  acknowledge<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesAcknowledgeBody>,
    options?: MutationOptions,
  ): Promise<SaleRecord> {
    return this.#call<SaleRecord>(saleCases.acknowledge, { path: { sale }, body }, options);
  }
}

/**
 * Sales, from the award of a lot to the transfer of ownership. As a bank calls it.
 *
 * To look up an id, such as A22: `npx vehicle-auction-sdk docs A22`.
 */
export class BankSaleCases extends SaleCases {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Decides a sale, such as approving it.
   *
   * An approval requires a valid bid and an available vehicle. It neither settles a payment nor releases the
   * vehicle.
   *
   * After a negotiation, `offer_id` must name the active offer, accepted and not expired, with the same
   * `terms_version`. Its amount takes effect only through this decision.
   *
   * The bank's limits apply, and a second person may have to confirm. A successful call may leave the sale
   * undecided, so read the returned `state`.
   *
   * API: A22, `POST /sale-cases/{sale}/decisions`, scope `sales:approve`; "Sale, negotiation, cancellation".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `decision`, `bid_id`, `reason`, `terms_version`, `due_at`,
   * `payee_instructions`, `idempotency_key`, `expected_version`, `offer_id`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  decide<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesDecideBody>,
    options?: MutationOptions,
  ): Promise<SaleRecord> {
    return this.#call<SaleRecord>(saleCases.decide, { path: { sale }, body }, options);
  }

  /**
   * Makes an offer to the buyer on an undecided sale.
   *
   * Supersedes earlier open or accepted offers; only one is active at a time. The bid does not change, and
   * the sale must still be decided (A22).
   *
   * Other bids stay hidden from the buyer.
   *
   * API: A24, `POST /sale-cases/{sale}/offers`, scope `offers:write`; "Sale, negotiation, cancellation".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `amount`, `currency`, `terms_version`, `valid_until`, `reason`,
   * `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  offer<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesOfferBody>,
    options?: MutationOptions,
  ): Promise<OfferRecord> {
    return this.#call<OfferRecord>(saleCases.offer, { path: { sale }, body }, options);
  }

  /**
   * Authorises the release of the vehicle of a sale.
   *
   * Requires an approved sale, completed buyer requirements, verified payment and no active hold.
   *
   * `expected_version` is the sale's version; the API text does not state whose.
   *
   * API: A52, `POST /sale-cases/{sale}/release-authorizations`, scope `release:approve`; "Release,
   * collection, transfer".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `recipient`, `yard`, `expires_at`, `collection_date`, `idempotency_key`,
   * `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  authorizeRelease<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesAuthorizeReleaseBody>,
    options?: MutationOptions,
  ): Promise<ReleaseRecord> {
    return this.#call<ReleaseRecord>(saleCases.authorizeRelease, { path: { sale }, body }, options);
  }

  /**
   * Records a milestone of the ownership transfer.
   *
   * The state of the record becomes `status`. This does not confirm the government registry.
   *
   * Evidence counts only once the scan has found its document clean.
   *
   * `expected_version` is the sale's version; the API text does not state whose.
   *
   * API: A57, `POST /sale-cases/{sale}/transfer-updates`, scope `transfer:write`; "Release, collection,
   * transfer".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `status`, `responsible_party`, `reason`, `evidence_id`, `document_checklist`,
   * `occurred_at`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  updateTransfer<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesUpdateTransferBody>,
    options?: MutationOptions,
  ): Promise<TransferRecord> {
    return this.#call<TransferRecord>(saleCases.updateTransfer, { path: { sale }, body }, options);
  }
}
