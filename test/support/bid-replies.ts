import { accepted, KEY } from './clients.js';
import type { Step } from './scripted-transport.js';

/** Replies of the service to bids and to looks for them, in the shapes of the API text. */

export const LOT = 'lot_4f1c9a';
/** Server time in the tests' beginning. */
export const NOW = Date.parse('2026-03-02T06:00:00Z');

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function acceptance(over: object = {}, status = 201): Step {
  return { status, json: accepted(over) };
}

/** A rejection that the service recorded. */
export function recordedRejection(codes: readonly string[] = ['BID_BELOW_MINIMUM'], over: object = {}): Step {
  const bid = { request_id: 'req_2', bid_id: 'bid_78', status: 'rejected', lot_version: 5, replayed: false };
  return envelope(422, codes, { ...bid, ...over });
}

/** The application envelope of something turned away. */
export function refusal(status: number, code: string): Step {
  return envelope(status, [code], null);
}

function envelope(status: number, errors: readonly string[], data: object | null): Step {
  const [code] = errors;
  const told = { success: false, code, message: 'No.', data, errors, request_id: 'req_2' };
  return { status, json: { ...told, timestamp: '2026-03-02T06:00:01+00:00' } };
}

export function messageOnly(status: number, headers: Record<string, string> = {}): Step {
  return { status, json: { message: 'Something.' }, headers };
}

export function invalidFields(): Step {
  return { status: 422, json: { message: 'Invalid.', errors: { amount: ['The amount is invalid.'] } } };
}

export function html(status: number): Step {
  return { status, text: '<html><body>Gateway</body></html>', headers: { 'content-type': 'text/html' } };
}

/** What a read returns, at that server time, Unix ms. */
export function read(at: number, data: object): Step {
  return { status: 200, json: { data, server_time: iso(at) } };
}

/** The look-up by key (A06). `observed_at` is server time. */
export function lookup(state: string, { key = KEY, at = NOW, ...over }: LookupOptions = {}): Step {
  const observed = at !== null && { observed_at: iso(at) };
  const retry = 'Retry with the same key.';
  return read(at ?? NOW, { idempotency_key: key, state, ...observed, receipt: null, retry, ...over });
}

interface LookupOptions {
  readonly key?: string;
  /** Unix ms; null leaves `observed_at` out. */
  readonly at?: number | null;
  readonly receipt?: object | null;
}

/** The status of the lot (A10). Unix ms. */
export function lotStatus(closesAt: number | null, at = NOW, lot = LOT): Step {
  return read(at, {
    lot_id: lot,
    auction_state: 'live',
    resource_version: 3,
    effective_close_at: closesAt === null ? null : iso(closesAt),
    allowed_actions: [],
    provisional: true,
  });
}

/** One bid in full (A05). */
export function bidDetail(over: object = {}): Step {
  return read(NOW, {
    id: 'bid_78',
    lot_id: LOT,
    bidder_reference: null,
    amount: '465000.00',
    status: 'rejected',
    request_id: 'req_2',
    server_received_at: '2026-03-02T06:00:00+00:00',
    lot_version: 5,
    errors: ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'],
    ...over,
  });
}

/** A page of `/bids`. */
export function bidPage(items: readonly object[], page = 1, last = 1): Step {
  const count = { from: 1, to: items.length, total: items.length, per_page: 25 };
  return { status: 200, json: { current_page: page, data: items, last_page: last, ...count } };
}
