import type { Code } from '../api/codes.js';
import type { Attempt } from './attempt.js';

/**
 * What goes wrong with a request. Times are milliseconds of sandbox time. "In front" means that something before the
 * service answers, and the service never sees the request: no nonce is spent, nothing counts against the rate limit.
 */
export type Fault =
  /** The connection is cut: before anything happened, or after everything did but before the first reply byte. */
  | { readonly fault: 'drop_before_commit' | 'drop_after_commit' }
  /**
   * A server error, before anything happened or after everything did: `status` from 500 to 599 (500 when left out), as
   * a bare `{ message }`, a gateway's HTML, or without a body.
   */
  | {
      readonly fault: 'error_before_commit' | 'error_after_commit';
      readonly status?: number;
      readonly shape?: 'message' | 'html' | 'empty';
    }
  /** The request, or its reply, is held up for `ms`. */
  | { readonly fault: 'delay' | 'delay_after_commit'; readonly ms: number }
  /**
   * The request is let in and its connection cut at once (or answered with the error `status`, 500 to 599), while it
   * is worked on for `ms` more: A06 says `processing` of a bid until it is judged, as having come in time.
   */
  | { readonly fault: 'processing'; readonly ms: number; readonly status?: number }
  /**
   * The connection is cut at once, and nothing has happened. `ms` later a copy arrives, exactly as it was sent: nonce,
   * timestamp and the close of the auction are judged then. The copy is an attempt of its own, and no fault strikes it.
   */
  | { readonly fault: 'late_copy'; readonly ms: number }
  /**
   * It is carried out, and afterwards its idempotency key is forgotten: the same request again is a new one, and A06
   * says `absent`. With `what: 'record'` a bid is undone too, as by a restore of an older backup. `drop: true` cuts
   * the connection in place of the reply.
   */
  | { readonly fault: 'forget'; readonly what?: 'key' | 'record'; readonly drop?: boolean }
  /**
   * A 429 in front. `Retry-After` gives `retryAfter` (seconds of sandbox time, 1 when left out) as seconds, as an
   * HTTP-date, or is absent; the form goes by the variant `retry-after-form` when left out.
   */
  | {
      readonly fault: 'rate_limit';
      readonly retryAfter?: number;
      readonly form?: 'seconds' | 'http-date' | 'absent';
      readonly commit?: boolean;
    }
  /**
   * A refusal in front that the service might have made. With `code`, one of the API's codes in its shape, under its
   * first status or another one that it has; codes that reject a bid are recorded as rejections of it, like real ones.
   * With `status` alone (400 to 499), a bare `{ message }`. With `fields`, the 422 of invalid fields.
   */
  | {
      readonly fault: 'refuse';
      readonly code?: Code;
      readonly status?: number;
      readonly fields?: Readonly<Record<string, readonly string[]>>;
      readonly commit?: boolean;
    }
  /**
   * Something else than the promised JSON, in front. `content` is a proxy's HTML (when left out), the first half of a
   * JSON text, JSON of another shape, no byte at all, `null`, or JSON that is declared as plain text; or `body` gives
   * the text, and `contentType` what it is declared as (`text/html` when left out). `status` is 502 for HTML when left
   * out, 200 for anything else. With `commit`, half and mislabelled JSON are made of the real reply.
   */
  | {
      readonly fault: 'garbage';
      readonly content?: 'html' | 'half_json' | 'other_json' | 'empty' | 'null' | 'wrong_type';
      readonly body?: string;
      readonly contentType?: string;
      readonly status?: number;
      readonly commit?: boolean;
    }
  /** It is carried out, and the reply breaks off after `bytes` of its body (half of it when left out). */
  | { readonly fault: 'truncate'; readonly bytes?: number }
  /**
   * It is carried out, and the reply comes in drops: `bytesPerMs` bytes in a millisecond (1 when left out), of the body
   * or, with `part: 'head'`, from its first byte on. After `stallAfter` bytes nothing more comes, and the connection
   * stays open.
   */
  | {
      readonly fault: 'slow';
      readonly part?: 'head' | 'body';
      readonly bytesPerMs?: number;
      readonly stallAfter?: number;
    }
  /** A redirect (307 when left out), in front. */
  | {
      readonly fault: 'redirect';
      readonly location?: string;
      readonly status?: number;
      readonly commit?: boolean;
    }
  /**
   * The service's clock is `ms` ahead of the sandbox's (behind, when negative) for the requests that match, until it
   * is withdrawn: in `Date`, in server times, in the judgement of timestamps and of what is live.
   */
  | { readonly fault: 'skew'; readonly ms: number };

/** Which requests a fault strikes. `commit: true` carries the request out all the same, where a fault offers it. */
export type FaultPlan = Fault & {
  /** A method such as `saleCases.decide`, or an operation id such as `A22`; any operation when left out. */
  readonly operation?: string;
  /** Id of the client whose requests it strikes; anybody's when left out. */
  readonly client?: string;
  /**
   * Whether it is meant for this request, as `attempts()` tells of it so far; it is asked once what else there is
   * fits. If it throws, the request is answered with a 500 that says so.
   */
  readonly where?: (attempt: Attempt) => boolean;
  /** Strikes the nth request that matches from now on; 1, the next, when left out. */
  readonly nth?: number;
  /** How many in a row, `Infinity` for all of them; 1 when left out. */
  readonly times?: number;
};

/** A fault that waits for its requests. */
export interface ArmedFault {
  /** Runs from 1. */
  readonly n: number;
  readonly plan: FaultPlan;
  /** How many requests that match it lets pass before it strikes. */
  readonly toPass: number;
  /** How many it has yet to strike. */
  readonly left: number;
  withdraw(): void;
}
