import type { Reply } from './replies.js';
import { messageOnly } from './replies.js';

/** What goes wrong with a request. */
export type Fault =
  /** The connection is cut: before anything happened, or after everything did but before the first reply byte. */
  | { readonly fault: 'drop_before_commit' | 'drop_after_commit' }
  /** A bare 500, before anything happened or after everything did. */
  | { readonly fault: 'error_before_commit' | 'error_after_commit' }
  /** The request, or its reply, is held up for `ms` milliseconds of sandbox time. */
  | { readonly fault: 'delay' | 'delay_after_commit'; readonly ms: number }
  /** A 429 with `Retry-After` (seconds of sandbox time, 1 when left out). */
  | { readonly fault: 'rate_limit'; readonly retryAfter?: number; readonly commit?: boolean }
  /** HTML of a proxy, with any status (502 when left out). */
  | { readonly fault: 'garbage'; readonly status?: number; readonly commit?: boolean }
  /** The reply breaks off after `bytes` of its body (half of it when left out). The request was carried out. */
  | { readonly fault: 'truncate'; readonly bytes?: number }
  /** A redirect (307 when left out). */
  | {
      readonly fault: 'redirect';
      readonly location?: string;
      readonly status?: number;
      readonly commit?: boolean;
    };

/** Which requests a fault strikes. `commit: true` carries the request out all the same, where a fault offers it. */
export type FaultPlan = Fault & {
  /** A method such as `saleCases.decide`, or an operation id such as `A22`; any operation when left out. */
  readonly operation?: string;
  /** Strikes the nth request that matches from now on; 1, the next, when left out. */
  readonly nth?: number;
  /** How many in a row; 1 when left out. */
  readonly times?: number;
};

/** The faults that wait for their requests. */
export class Faults {
  readonly #ids: ReadonlyMap<string, string>;
  readonly #waiting: Waiting[] = [];

  /** `ids` are the operation ids by themselves and by the names of their methods. */
  constructor(ids: ReadonlyMap<string, string>) {
    this.#ids = ids;
  }

  /** Plans a fault; the returned function withdraws it. Throws for an operation that doesn't exist. */
  inject(plan: FaultPlan): () => void {
    const operation = plan.operation === undefined ? undefined : this.#ids.get(plan.operation);
    if (plan.operation !== undefined && operation === undefined) {
      throw new RangeError(
        `no operation ${JSON.stringify(plan.operation)}; they are called like "saleCases.decide" or "A22"`,
      );
    }
    if (!faultNames.has(plan.fault)) {
      throw new RangeError(
        `no fault ${JSON.stringify(plan.fault)}; faults are ${[...faultNames].join(', ')}`,
      );
    }
    const { nth = 1, times = 1 } = plan;
    if (!Number.isInteger(nth) || !Number.isInteger(times) || nth < 1 || times < 1) {
      throw new RangeError('nth and times are whole numbers, 1 or more');
    }
    const waiting: Waiting = { plan, operation, toPass: nth - 1, left: times };
    this.#waiting.push(waiting);
    return () => this.#remove(waiting);
  }

  /**
   * The fault that strikes this request at this stage, if any. `front` faults come from something before the
   * service, which never sees the request; `inner` ones strike requests that have been let in.
   */
  strike(operation: string, stage: 'front' | 'inner'): Fault | undefined {
    let struck: Fault | undefined;
    for (const waiting of [...this.#waiting]) {
      const { plan } = waiting;
      if ((waiting.operation ?? operation) !== operation || stageOf(plan) !== stage) continue;
      if (waiting.toPass > 0) {
        waiting.toPass -= 1;
      } else if (struck === undefined) {
        struck = plan;
        waiting.left -= 1;
        if (waiting.left === 0) this.#remove(waiting);
      }
    }
    return struck;
  }

  #remove(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}

/** The reply a fault puts in place of the real one; undefined for faults that do something else. */
export function faultReply(fault: Fault): Reply | undefined {
  switch (fault.fault) {
    case 'error_before_commit':
    case 'error_after_commit':
      return messageOnly(500, 'Server error.');
    case 'rate_limit':
      return messageOnly(429, 'Too many requests.', { 'Retry-After': String(fault.retryAfter ?? 1) });
    case 'garbage':
      return { status: fault.status ?? 502, html: '<html><body><h1>Bad Gateway</h1></body></html>' };
    case 'redirect':
      return {
        status: fault.status ?? 307,
        html: '<html><body>Moved</body></html>',
        headers: { Location: fault.location ?? 'https://elsewhere.example/' },
      };
    default:
      return undefined;
  }
}

const faultNames: ReadonlySet<string> = new Set<Fault['fault']>([
  'drop_before_commit',
  'drop_after_commit',
  'error_before_commit',
  'error_after_commit',
  'delay',
  'delay_after_commit',
  'rate_limit',
  'garbage',
  'truncate',
  'redirect',
]);

interface Waiting {
  readonly plan: FaultPlan;
  readonly operation: string | undefined;
  toPass: number;
  left: number;
}

function stageOf(plan: Fault): 'front' | 'inner' {
  const kind = plan.fault;
  const inFront = kind === 'rate_limit' || kind === 'garbage' || kind === 'redirect';
  return inFront && plan.commit !== true ? 'front' : 'inner';
}
