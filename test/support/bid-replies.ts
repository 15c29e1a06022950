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
  return {
    status: 422,
    json: {
      success: false,
      code: codes[0],
      message: 'Bid rejected.',
      data: {
        request_id: 'req_2',
        bid_id: 'bid_78',
        status: 'rejected',
        lot_version: 5,
        replayed: false,
        ...over,
      },
      errors: codes,
      request_id: 'req_2',
      timestamp: '2026-03-02T06:00:01+00:00',
    },
  };
}

/** The application envelope of something turned away. */
export function refusal(status: number, code: string): Step {
  return {
    status,
    json: {
      success: false,
      code,
      message: 'No.',
      data: null,
      errors: [code],
      request_id: 'req_3',
      timestamp: '2026-03-02T06:00:01+00:00',
    },
  };
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

/** The look-up by key (A06). `observed_at` is server time. */
export function lookup(state: string, { key = KEY, at = NOW, ...over }: LookupOptions = {}): Step {
  return {
    status: 200,
    json: {
      data: {
        idempotency_key: key,
        state,
        ...(at !== null && { observed_at: iso(at) }),
        receipt: null,
        retry: 'Retry with the same key.',
        ...over,
      },
      server_time: iso(at ?? NOW),
    },
  };
}

export interface LookupOptions {
  readonly key?: string;
  /** Unix ms; null leaves `observed_at` out. */
  readonly at?: number | null;
  readonly receipt?: object | null;
}

/** The status of the lot (A10). Unix ms. */
export function lotStatus(closesAt: number | null, at = NOW, lot = LOT): Step {
  return {
    status: 200,
    json: {
      data: {
        lot_id: lot,
        auction_state: 'live',
        resource_version: 3,
        effective_close_at: closesAt === null ? null : iso(closesAt),
        allowed_actions: [],
        provisional: true,
      },
      server_time: iso(at),
    },
  };
}

/** One bid in full (A05). */
export function bidDetail(over: object = {}): Step {
  return {
    status: 200,
    json: {
      data: {
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
      },
      server_time: iso(NOW),
    },
  };
}

/** A page of `/bids`. */
export function bidPage(items: readonly object[], page = 1, last = 1): Step {
  return {
    status: 200,
    json: {
      current_page: page,
      data: items,
      first_page_url: '',
      from: 1,
      last_page: last,
      last_page_url: '',
      links: [],
      next_page_url: null,
      path: '',
      per_page: 25,
      prev_page_url: null,
      to: items.length,
      total: items.length,
    },
  };
}
