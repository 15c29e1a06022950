import type * as z from 'zod';
import type { ObjectSchema, Schema } from './check.js';
import type { Code } from './codes.js';
import type { Format } from './formats.js';
import type { Scope } from './scopes.js';

export type Actor = 'bank' | 'partner';

/** How a partner bids: for itself, or for buyers whom it names with `bidder_reference`. */
export type PartnerType = 'direct_dealer' | 'platform' | 'aggregator';

/**
 * How a reply wraps its payload (Resources, Pagination; Endpoints, Conventions):
 * - `object`: `{ data }`, catalogue details; `read`: `{ data, server_time }`;
 * - `command`: `{ data, request_id, server_time }`; `bid`: the application envelope;
 * - `page`: `data` array, `current_page`, `last_page`, `total`; `results_page`: the same without `total`;
 * - `bids_page`: the framework-style envelope; `workflow_page`: items and page fields inside `data`;
 * - `cursor_page`: a list of unknown name and a `next_cursor`; `binary`: bytes, no JSON;
 * - `whole`: a JSON object of unknown form, handed on whole; `raw`: any JSON, its `data` if it has one.
 */
export type Envelope =
  | 'object'
  | 'read'
  | 'command'
  | 'bid'
  | 'page'
  | 'results_page'
  | 'bids_page'
  | 'workflow_page'
  | 'cursor_page'
  | 'binary'
  | 'whole'
  | 'raw';

/** What a call changes: nothing, a bid, or a workflow record. Bids and commands carry an idempotency key. */
export type Effect = 'read' | 'bid' | 'command';

/** In which lane a request is queued, highest first: bids with their retries and lookups, commands, reads, polls. */
export type Lane = 'bid' | 'command' | 'read' | 'poll';

/**
 * Where a versioned command takes `expected_version` from when the caller passes a record in place of its id:
 * `resource_version` is at the top of the record next to `id`, `inventory_version` in its `data` next to
 * `vehicle_id`.
 */
export interface VersionSource {
  /** The path parameter that the record may replace. */
  readonly param: string;
  /** The `kind` that such a record has. */
  readonly kind: string;
  readonly field: 'resource_version' | 'inventory_version';
}

/** How a call travels. */
interface CallFacts {
  /** The text's id (`A06`), or our slug if it gives none (`events.list`). */
  readonly id: string;
  /** The effective method: the one that is signed. PATCH and PUT travel as POST with `_method` in the body. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** The path after `/api/v1`, with `{name}` for each key of `params`. */
  readonly path: `/${string}`;
  /** `documented`: described, yet listed as not callable (A13). */
  readonly availability: 'callable' | 'documented';
  readonly effect: Effect;
  /** Where it queues for the rate limit, if not by its effect. */
  readonly lane?: Lane;
  /** Who may call it; absent if the text names no actor, which means both. */
  readonly actors?: readonly Actor[];
  /** Query parameters that make this the call it is; the caller doesn't give them. */
  readonly fixedQuery?: Readonly<Record<string, string>>;
  /** Present where the body has an `expected_version`. */
  readonly versionFrom?: VersionSource;
  /** HTTP statuses of success. */
  readonly success: readonly number[];
  readonly envelope: Envelope;
}

/** Every kind of record that the text shows (Resources, Workflow record). */
export const recordKinds: readonly string[] = [
  'cancellation',
  'sale',
  'offer',
  'sale_cancellation',
  'payment_report',
  'payment',
  'bank_receipt',
  'allocation',
  'refund_request',
  'refund',
  'dispute',
  'release',
  'transfer',
  'inventory_command',
  'document',
  'notification_ack',
];

/** All that the call pipeline knows of an operation, as plain data. Generated from the descriptions. */
export interface Route extends CallFacts {
  /** What a caller knows it by, such as `bids.lookup`; its id for one that has no method. */
  readonly name: string;
  readonly params?: Readonly<Record<string, Format>>;
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  /** Body fields that may be given as the content of a file. */
  readonly fileFields?: readonly string[];
  /** True where `bidder_reference` of the query asks for a buyer's standing, which platforms and aggregators may. */
  readonly asksForBuyer?: true;
  /** The whole body of a success; absent for replies whose form is open. */
  readonly reply?: Schema;
  /** The record inside the error reply of a recorded rejection; bids only. */
  readonly rejection?: Schema;
}

/** The description of an operation: its schemas, and its documentation for users. */
export interface Operation extends CallFacts {
  /** What a caller knows it by, such as `bids.lookup`. */
  readonly name: string;
  readonly params?: Readonly<Record<string, z.ZodType>>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The payload: the object in `data`, one item of a page; absent for binary and raw replies. */
  readonly reply?: z.ZodType;
  /** The record inside the error reply of a recorded rejection; bids only. */
  readonly rejection?: z.ZodType;
  readonly scope: Scope;
  /** One line: what it does. */
  readonly summary: string;
  /** What a caller must know in addition to the summary, as facts of the service. */
  readonly notes?: readonly string[];
  /** What only callers of this SDK need to know. */
  readonly hints?: readonly string[];
  /** Where in the API text it is described. */
  readonly section: string;
  /** Codes specific to it, in addition to those that any call can meet (`codes` with `everywhere`). */
  readonly refusals: readonly Code[];
}

export interface Resource {
  /** The name it has on a client; its file is the same in kebab-case. */
  readonly name: string;
  readonly summary: string;
  /** Method name to operation. */
  readonly operations: Readonly<Record<string, Operation>>;
}

const common = { availability: 'callable', success: [200] } as const;
const readDefaults = { ...common, method: 'GET', effect: 'read', envelope: 'read' } as const;
const commandDefaults = { ...common, method: 'POST', effect: 'command', envelope: 'command' } as const;

type Described<Defaults> = Omit<Operation, 'name' | 'refusals' | keyof Defaults> & Partial<Operation>;
type Completed<Own, Defaults> = Own & Omit<Defaults, keyof Own> & { readonly refusals: readonly Code[] };

/** An operation that changes nothing: a GET of one record, unless it says otherwise. */
export function read<const Own extends Described<typeof readDefaults>>(
  own: Own,
): Completed<Own, typeof readDefaults> {
  return { ...readDefaults, refusals: own.params === undefined ? [] : ['NOT_FOUND'], ...own };
}

/** An operation that changes a record: a POST under an idempotency key, unless it says otherwise. */
export function command<const Own extends Described<typeof commandDefaults>>(
  own: Own,
): Completed<Own, typeof commandDefaults> {
  const refusals = ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'] as const;
  return { ...commandDefaults, refusals, ...own };
}

/** A resource, whose name and those of its methods together name its operations. */
export function resource<
  const Name extends string,
  const Operations extends Readonly<Record<string, Omit<Operation, 'name'>>>,
>(name: Name, summary: string, operations: Operations) {
  const named = Object.entries(operations).map(([method, operation]) => [
    method,
    { ...operation, name: `${name}.${method}` },
  ]);
  return { name, summary, operations: Object.fromEntries(named) as Named<Operations> };
}

type Named<Operations> = {
  readonly [Method in keyof Operations]: Operations[Method] & { readonly name: string };
};
