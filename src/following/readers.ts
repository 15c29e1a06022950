import { tolerated } from '../api/tolerance.js';
import type { LotStatus } from '../generated/lots.js';
import type { Notification } from '../generated/notifications.js';
import type { SaleReceipts, SaleRecord } from '../generated/sale-cases.js';
import type { WinnerUpdate } from '../generated/winner-updates.js';
import { isAmount } from '../money/paise.js';

/*
 * Some shapes of the API are undocumented. These readers return the fields that services send, typed, and list missing
 * ones. They never guess: a field that is absent or of another type is missing, except for forms that are tolerated
 * everywhere, such as an id as an integer. You can still read the raw value.
 */

/** Data that was found in an undocumented shape. */
export type Reading<T> =
  | { readonly complete: true; readonly data: T }
  /** `missing`: fields that are absent, or not of the expected type. */
  | { readonly complete: false; readonly data: Partial<T>; readonly missing: readonly (keyof T & string)[] };

/** The approved sale in a winner update. */
export interface WinnerNews {
  readonly saleId: string;
  /** Version of the sale at its approval. */
  readonly version: number;
  /** Public lot id. */
  readonly lotId: string;
  readonly bidId: string;
  /** The platform's buyer; null for a direct dealer. */
  readonly bidderReference: string | null;
  /** INR decimal string. */
  readonly amount: string;
  /** `terms_version` to acknowledge. */
  readonly termsVersion: string | number;
}

/** Reads a winner update, whose fields are undocumented, as the `sale.approved` event that it repeats. */
export function readWinnerUpdate(update: WinnerUpdate): Reading<WinnerNews> {
  const body = { ...update, ...ownFields(update['data']) };
  const sale = ownFields(body['sale']);
  return reading<WinnerNews>({
    saleId: identifier(sale['id']) ?? identifier(body['resource_id']),
    version: integer(body['resource_version']),
    lotId: identifier(body['lot_id']),
    bidId: identifier(sale['bid_id']),
    bidderReference: sale['bidder_reference'] === null ? null : nonEmptyText(sale['bidder_reference']),
    amount: money(sale['amount']),
    termsVersion: nonEmptyText(sale['terms_version']) ?? number(sale['terms_version']),
  });
}

/** The negotiated offer of a sale. */
export interface ActiveOffer {
  readonly id: string;
  /** `open`, `accepted`, or another state. */
  readonly state: string;
  /** `expected_version` of a response. */
  readonly version: number;
  /** INR decimal string. */
  readonly amount: string;
  readonly termsVersion: string | number;
  /** ISO 8601. */
  readonly validUntil: string;
}

/**
 * Reads `active_offer` of a sale that was read individually (A21).
 *
 * @returns undefined if the sale has none
 */
export function readOffer(sale: Pick<SaleRecord, 'data'>): Reading<ActiveOffer> | undefined {
  const offer = sale.data?.active_offer;
  if (offer === undefined || offer === null) return undefined;
  const data = { ...offer, ...ownFields(offer['data']) };
  return reading<ActiveOffer>({
    id: identifier(offer['id']),
    state: nonEmptyText(offer['state']),
    version: integer(offer['resource_version']),
    amount: money(data['amount']),
    termsVersion: nonEmptyText(data['terms_version']) ?? number(data['terms_version']),
    validUntil: nonEmptyText(data['valid_until']),
  });
}

/** Kinds of records that a message can name. */
const KINDS = [
  'bid',
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
  'document',
] as const;

/** A kind of record, as the API calls it. */
export type RecordKind = (typeof KINDS)[number];

/** A message of the inbox. */
export interface NotificationNews {
  /** Type of the event, such as `payment.reported`. */
  readonly type: string;
  /** Kind of the record that it is about. */
  readonly kind: RecordKind;
  /** Id of that record. */
  readonly id: string;
  /** Version of that record at the event. */
  readonly version: number;
  /** Ids of all records that it names, by kind: this one, and those to which it belongs, such as its sale. */
  readonly ids: Readonly<Partial<Record<RecordKind, string>>>;
  /** Amounts that it names, INR decimal strings. */
  readonly amounts: readonly string[];
}

/**
 * Reads a message of the inbox (A74), whose `subject` is undocumented: an object with ids, or a headline that names records
 * by kind and id. Read the record itself before you act on it: it may have changed since.
 */
export function readNotification(notification: Notification): Reading<NotificationNews> {
  const { type, subject, resource_version } = notification;
  const top: Readonly<Record<string, unknown>> = { ...notification, id: undefined, ...ownFields(subject) };
  const given = { ...top, ...ownFields(top['data']) };
  const headline = typeof subject === 'string' ? subject : '';
  const own = ownRecord(given);
  const parts = recordsByName(given);
  const inText = recordsIn(headline);
  const about = own ?? mainOf(parts) ?? inText[0];
  const named = [...(own === undefined ? [] : [own]), ...parts, ...inText];
  const amounts = [given['amount'], ...amountsIn(headline)].flatMap((amount) => money(amount) ?? []);
  return reading<NotificationNews>({
    type: nonEmptyText(type),
    kind: about?.kind,
    id: about?.id,
    version: integer(resource_version),
    // The first of a kind is the one that it is about.
    ids: Object.fromEntries(named.map(({ kind, id }) => [kind, id] as const).reverse()),
    amounts: [...new Set(amounts)],
  });
}

interface NamedRecord {
  readonly kind: RecordKind;
  readonly id: string;
}

/** The record that an object is, by `kind` and `id`, or refers to, by `resource_type` and `resource_id`. */
function ownRecord(fields: Readonly<Record<string, unknown>>): NamedRecord | undefined {
  const kind = KINDS.find((each) => each === (fields['kind'] ?? fields['resource_type']));
  const id =
    identifier(fields['resource_id']) ??
    (fields['kind'] === undefined ? undefined : identifier(fields['id']));
  return kind === undefined || id === undefined ? undefined : { kind, id };
}

/** Records in fields such as `sale_id`. */
function recordsByName(fields: Readonly<Record<string, unknown>>): NamedRecord[] {
  return KINDS.flatMap((kind) => {
    const id = identifier(fields[`${kind}_id`]);
    return id === undefined ? [] : [{ kind, id }];
  });
}

/** The only record that belongs to a sale or a bid, or else that sale or bid. */
function mainOf(named: readonly NamedRecord[]): NamedRecord | undefined {
  const parts = named.filter(({ kind }) => kind !== 'sale' && kind !== 'bid');
  if (parts.length > 0) return parts.length === 1 ? parts[0] : undefined;
  return named.find(({ kind }) => kind === 'sale') ?? named[0];
}

/** Longer names first: a payment report is no payment. An id has a separator, and so is no word. */
const RECORD = new RegExp(
  `\\b(${[...KINDS]
    .sort((one, other) => other.length - one.length)
    .map((kind) => kind.replaceAll('_', '[ _]'))
    .join('|')}) ((?=[\\w-]*[\\d_])[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+)`,
  'gi',
);

/** Records that a headline names by kind and id. Text in parentheses may be of others. */
function recordsIn(headline: string): NamedRecord[] {
  const [plain = ''] = headline.split('(');
  return [...plain.matchAll(RECORD)].flatMap(([, words = '', id = '']) => {
    const kind = KINDS.find((each) => each === words.toLowerCase().replaceAll(' ', '_'));
    return kind === undefined ? [] : [{ kind, id }];
  });
}

function amountsIn(headline: string): string[] {
  return [...headline.matchAll(/\bINR (\d+(?:\.\d{1,2})?)(?![\d.]*\d)/g)].map(([, amount = '']) => amount);
}

interface ReceiptItem {
  readonly id: string;
  readonly state: string;
  readonly version: number;
}

/** A payment or an allocation in the receipts of a sale. */
export interface ReceivedMoney extends ReceiptItem {
  /** INR decimal string. */
  readonly amount: string;
}

/** A document in the receipts of a sale. */
export interface ReceivedDocument extends ReceiptItem {
  readonly purpose: string;
  readonly filename: string;
}

/** The receipts of a sale, item by item. */
export interface ReceiptReadings {
  readonly payments: readonly Reading<ReceivedMoney>[];
  readonly documents: readonly Reading<ReceivedDocument>[];
  readonly allocations: readonly Reading<ReceivedMoney>[];
}

/** Reads the items of `saleCases.receipts` (A46), whose shape is undocumented. */
export function readReceipts(receipts: SaleReceipts): ReceiptReadings {
  const { payments = [], documents = [], allocations = [] } = receipts;
  const amounts = (item: unknown) => {
    const { record, data } = receiptRecord(item);
    return reading<ReceivedMoney>({ ...record, amount: money(data['amount']) });
  };
  return {
    payments: payments.map(amounts),
    documents: documents.map((item) => {
      const { record, data } = receiptRecord(item);
      const { purpose, filename } = data;
      return reading<ReceivedDocument>({
        ...record,
        purpose: nonEmptyText(purpose),
        filename: nonEmptyText(filename),
      });
    }),
    allocations: allocations.map(amounts),
  };
}

/** An action that a partner may take on a lot. */
export type LotAction = 'bid' | 'acknowledge' | 'report_payment' | 'respond_to_offer';

const ACTIONS: readonly (readonly [action: LotAction, operation: string, method: string])[] = [
  ['bid', 'bids.submit', 'bids.submit'],
  ['acknowledge', 'A23', 'saleCases.acknowledge'],
  ['report_payment', 'A36', 'paymentReports.create'],
  ['respond_to_offer', 'A25', 'offers.respond'],
];

/**
 * Reads `allowed_actions` of a lot, whose values are undocumented. Recognises words and operation ids.
 *
 * @returns `other`: values that are not recognised
 */
export function readActions(status: Pick<LotStatus, 'allowed_actions'>): {
  readonly actions: readonly LotAction[];
  readonly other: readonly string[];
} {
  const actions = new Set<LotAction>();
  const other: string[] = [];
  for (const value of status.allowed_actions ?? []) {
    const [action] = ACTIONS.find((names) => names.some((name) => name === value)) ?? [];
    if (action === undefined) other.push(value);
    else actions.add(action);
  }
  return { actions: [...actions], other };
}

function receiptRecord(item: unknown) {
  const fields = ownFields(item);
  const data = { ...fields, ...ownFields(fields['data']) };
  const { id, state, resource_version } = fields;
  return {
    data,
    record: { id: identifier(id), state: nonEmptyText(state), version: integer(resource_version) },
  };
}

function reading<T extends object>(found: { readonly [K in keyof T]: T[K] | undefined }): Reading<T> {
  const names = Object.keys(found) as (keyof T & string)[];
  const missing = names.filter((name) => found[name] === undefined);
  if (isComplete(found, missing)) return { complete: true, data: found };
  const present = Object.entries(found).filter(([, value]) => value !== undefined);
  return { complete: false, data: Object.fromEntries(present) as Partial<T>, missing };
}

function isComplete<T>(
  _: { readonly [K in keyof T]: T[K] | undefined },
  missing: readonly unknown[],
): _ is { readonly [K in keyof T]: T[K] } & T {
  return missing.length === 0;
}

function ownFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An id, which some services write as an integer. */
function identifier(value: unknown): string | undefined {
  return nonEmptyText(value) ?? nonEmptyText(tolerated('string', value)?.value);
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function integer(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? number(value) : number(tolerated('int', value)?.value);
}

function money(value: unknown): string | undefined {
  const read = tolerated('money', value)?.value ?? value;
  return typeof read === 'string' && isAmount(read) ? read : undefined;
}
