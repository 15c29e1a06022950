import type * as z from 'zod';
import type { ObjectSchema, Schema } from './check.js';
import type { Code } from './codes.js';
import type { Format } from './formats.js';
import type { Scope } from './scopes.js';

export type Actor = 'bank' | 'partner';

/** Kind of partner. A direct dealer bids for itself; others name the buyer in `bidder_reference`. */
export type PartnerType = 'direct_dealer' | 'platform' | 'aggregator';

/**
 * How a reply wraps its payload (Resources, Pagination; Endpoints, Conventions):
 * - `object`: `{ data }`, catalogue details; `read`: `{ data, server_time }`;
 * - `command`: `{ data, request_id, server_time }`; `bid`: the application envelope;
 * - `page`: `data` array, `current_page`, `last_page`, `total`; `results_page`: the same without `total`;
 * - `bids_page`: the framework-style envelope; `workflow_page`: items and page fields inside `data`;
 * - `cursor_page`: a list of unknown name and a `next_cursor`; `binary`: bytes, no JSON;
 * - `whole`: a JSON object of unknown form, returned whole; `raw`: any JSON, its `data` if it has one.
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

/** Effect of an operation: none, a bid, or a workflow record. Bids and commands have an idempotency key. */
export type Effect = 'read' | 'bid' | 'command';

/** Queue lane of a request, highest priority first: bids with their retries and lookups, commands, reads, polls. */
export type Lane = 'bid' | 'command' | 'read' | 'poll';

/**
 * Source of `expected_version` if the caller passes a record instead of its id: `resource_version` is at the top
 * of the record next to `id`, `inventory_version` in its `data` next to `vehicle_id`.
 */
export interface VersionSource {
  /** The path parameter that the record replaces. */
  readonly param: string;
  /** `kind` of the record. */
  readonly kind: string;
  readonly field: 'resource_version' | 'inventory_version';
}

/** Transport facts of an operation. */
interface CallFacts {
  /** Id in the API text (`A06`), or a slug of this SDK if it has none (`events.list`). */
  readonly id: string;
  /** The effective, signed method. PATCH and PUT are sent as POST with `_method` in the body. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** The path after `/api/v1`, with `{name}` for each key of `params`. */
  readonly path: `/${string}`;
  /** `documented`: described but listed as not callable (A13). */
  readonly availability: 'callable' | 'documented';
  readonly effect: Effect;
  /** Queue lane, if different from the default of its effect. */
  readonly lane?: Lane;
  /** Actors that can call it. Absent if the text names none; then both can. */
  readonly actors?: readonly Actor[];
  /** Fixed query parameters that select this operation. Not set by the caller. */
  readonly fixedQuery?: Readonly<Record<string, string>>;
  /** Present if the body has an `expected_version`. */
  readonly versionFrom?: VersionSource;
  /** HTTP statuses of success. */
  readonly success: readonly number[];
  readonly envelope: Envelope;
}

/** Documented kinds of record (Resources, Workflow record). */
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

/** Plain data of an operation for the call pipeline. Generated from the descriptions. */
export interface Route extends CallFacts {
  /** Client method, such as `bids.lookup`; the id if there is no method. */
  readonly name: string;
  readonly params?: Readonly<Record<string, Format>>;
  readonly query?: ObjectSchema;
  readonly body?: ObjectSchema;
  /** Body fields that accept file content. */
  readonly fileFields?: readonly string[];
  /** True if `bidder_reference` in the query selects a buyer's standing, for platforms and aggregators only. */
  readonly asksForBuyer?: true;
  /** Schema of the whole success body; absent for replies of open shape. */
  readonly reply?: Schema;
  /** The record inside the error reply of a recorded rejection; bids only. */
  readonly rejection?: Schema;
}

/** The description of an operation: its schemas, and its documentation for users. */
export interface Operation extends CallFacts {
  /** Client method, such as `bids.lookup`. */
  readonly name: string;
  readonly params?: Readonly<Record<string, z.ZodType>>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The payload: the object in `data`, one item of a page; absent for binary and raw replies. */
  readonly reply?: z.ZodType;
  /** The record inside the error reply of a recorded rejection; bids only. */
  readonly rejection?: z.ZodType;
  readonly scope: Scope;
  /** One line that describes the operation. */
  readonly summary: string;
  /** Further facts about the service. */
  readonly notes?: readonly string[];
  /** Hints specific to this SDK. */
  readonly hints?: readonly string[];
  /** Section of the API text. */
  readonly section: string;
  /** Error codes of this operation, in addition to those of every call (`codes` with `everywhere`). */
  readonly refusals: readonly Code[];
}

export interface Resource {
  /** Property name on a client. The file has the same name in kebab-case. */
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

/** Describes a read. Defaults to a GET of one record. */
export function read<const Own extends Described<typeof readDefaults>>(
  own: Own,
): Completed<Own, typeof readDefaults> {
  return { ...readDefaults, refusals: own.params === undefined ? [] : ['NOT_FOUND'], ...own };
}

/** Describes a command. Defaults to a POST with an idempotency key. */
export function command<const Own extends Described<typeof commandDefaults>>(
  own: Own,
): Completed<Own, typeof commandDefaults> {
  const refusals = ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'] as const;
  return { ...commandDefaults, refusals, ...own };
}

/** Describes a resource. Operation names consist of resource and method name. */
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
