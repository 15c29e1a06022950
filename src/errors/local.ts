import { type CallContext, identify, type Outcome, VehicleAuctionError } from './base.js';
import { firstWords } from './text.js';

/** One problem of an argument. */
export interface InputIssue {
  /** Path of the value, such as `amount`, `lot_ids.3` or `path.lot`. */
  readonly path: string;
  /** The rule for this value, such as "must be a string". */
  readonly message: string;
  /** The value that was given, as text of at most 60 characters; absent if it is missing, no simple value, or may be secret. */
  readonly given?: string;
}

const GIVEN_CAP = 60;

/** The text of a value in an issue. */
export function shownValue(path: string, value: unknown): Pick<InputIssue, 'given'> {
  if (/secret|token|password|base64/i.test(path)) return {};
  if (typeof value === 'number' || typeof value === 'boolean' || value === null)
    return { given: String(value) };
  if (typeof value === 'bigint') return { given: `${value}n` };
  return typeof value === 'string' ? { given: quotedText(value) } : {};
}

/** A text in quotation marks, with the white space that is around it, which is often what is wrong. */
function quotedText(text: string): string {
  const words = firstWords(text, GIVEN_CAP);
  const [before = ''] = /^[ \t\r\n]{0,3}/.exec(text) ?? [];
  const [after = ''] = (words !== '' && /[ \t\r\n]{1,3}$/.exec(text.slice(-3))) || [];
  return JSON.stringify(`${before}${words}${after}`);
}

/** `invalid`: an option that cannot work; `failed`: something that you injected failed during a call. */
export type ConfigurationReason = 'invalid' | 'failed';

/** An option cannot work, or something injected failed. */
export class ConfigurationError extends VehicleAuctionError {
  static {
    identify(this, 'ConfigurationError');
  }

  declare readonly reason: ConfigurationReason;
  /** The option, such as `baseUrl` or `credentials.signingSecret`. */
  readonly option: string;
  /** The problem, such as "must be a string". */
  readonly problem: string;

  constructor(
    option: string,
    problem: string,
    call: CallContext & {
      readonly reason?: ConfigurationReason;
      readonly outcome?: Outcome;
      readonly nextStep?: string;
      readonly cause?: unknown;
      /** The value that was given; shown unless it may be secret. */
      readonly given?: unknown;
    } = {},
  ) {
    const { given, ...details } = call;
    const { given: shown } = given === undefined ? {} : shownValue(option, given);
    super({
      reason: 'invalid',
      outcome: 'not_sent',
      nextStep: 'Correct it, then try again.',
      ...details,
      what: `${option} ${problem}${shown === undefined ? '' : `, not ${shown}`}.`,
    });
    this.option = option;
    this.problem = problem;
  }
}

/** Invalid input that the service would certainly refuse. Nothing was sent. */
export class InvalidRequestError extends VehicleAuctionError {
  static {
    identify(this, 'InvalidRequestError');
  }

  declare readonly reason: 'invalid_input';
  /** Every problem, with its path and the rule. */
  readonly issues: readonly InputIssue[];

  /** @param context with a `nextStep` if correcting the input does not help */
  constructor(issues: readonly InputIssue[], context: CallContext & { readonly nextStep?: string } = {}) {
    super({
      nextStep: 'Nothing was sent; correct the input and call again.',
      ...context,
      reason: 'invalid_input',
      outcome: 'not_sent',
      what: `${listed(issues)}.`,
    });
    this.issues = issues;
  }
}

const SHOWN = 20;

function listed(issues: readonly InputIssue[]): string {
  const shown = issues.slice(0, SHOWN).map(({ path, message, given }) => {
    return `${path} ${message}${given === undefined ? '' : `, not ${given}`}`;
  });
  const more = issues.length - shown.length;
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

/**
 * Why a write was not sent:
 * - `halted`: `bids.halt()` is in force; `risk_limit`: a risk limit would have been exceeded;
 * - `superseded`: another process settled or took over the intent first;
 * - `no_server_time`: no reply has stated server time yet, and nothing is signed without it;
 * - `no_call`: a `runOnce` function made no call under its key, or more than one;
 * - `other_key`: a `runOnce` function made a call without the key that it was given;
 * - `release_ended`: the release that an earlier `runOnce` authorised was revoked or has expired since.
 */
export type NotSentReason =
  | 'halted'
  | 'risk_limit'
  | 'superseded'
  | 'no_server_time'
  | 'no_call'
  | 'other_key'
  | 'release_ended';

/** The SDK did not send a write. */
export class NotSentError extends VehicleAuctionError {
  static {
    identify(this, 'NotSentError');
  }

  declare readonly reason: NotSentReason;

  constructor(
    reason: NotSentReason,
    details: CallContext & { readonly what: string; readonly nextStep: string; readonly cause?: unknown },
  ) {
    super({ outcome: 'not_sent', ...details, reason });
  }
}

/** An earlier intent whose outcome is not known. */
export interface Unresolved {
  readonly idempotencyKey: string;
  /** Operation id, such as `bids.submit` or `A36`. */
  readonly operation: string;
  /** Of a bid: public lot id, INR decimal string, the platform's buyer. */
  readonly lot?: string;
  readonly amount?: string;
  readonly bidderReference?: string;
  /** Environment and `account` label that recorded it, such as `production/bank-2`; absent if they are this client's. */
  readonly account?: string;
}

/**
 * Why nothing was sent:
 * - `unresolved_bid`: another bid of the same buyer on the same lot is unresolved, and this one could outbid it;
 * - `in_doubt`: this very intent may have taken effect, and resending it is no longer safe;
 * - `in_progress`: another process or call is working on it;
 * - `stuck`: it needs manual resolution;
 * - `foreign`: it was recorded under another origin or client id, so this client can't settle it.
 */
export type InDoubtReason = 'unresolved_bid' | 'in_doubt' | 'in_progress' | 'stuck' | 'foreign';

/** An earlier call is unresolved, so this call sent nothing. */
export class InDoubtError extends VehicleAuctionError {
  static {
    identify(this, 'InDoubtError');
  }

  declare readonly reason: InDoubtReason;
  /** The unresolved intents, oldest first. */
  readonly unresolved: readonly Unresolved[];

  constructor(
    reason: InDoubtReason,
    unresolved: readonly Unresolved[],
    details: CallContext & { readonly what: string; readonly nextStep: string; readonly outcome?: Outcome },
  ) {
    super({ outcome: 'not_sent', ...details, reason });
    this.unresolved = unresolved;
  }
}

/**
 * Why a wait ended before the expected state was reached:
 * - `deadline`: its time was over; what was waited for can still come;
 * - `ended`: it can no longer happen, such as a refund that failed;
 * - `unknown_state`: the record's state is missing or unexpected, so the client can't tell whether the
 *   expected state is still possible.
 */
export type WaitFailure = 'deadline' | 'ended' | 'unknown_state';

/** A wait ended before the expected state was reached. Waiting changes nothing. */
export class WaitError extends VehicleAuctionError {
  static {
    identify(this, 'WaitError');
  }

  declare readonly reason: WaitFailure;
  /** The result of the last read; undefined if none succeeded. */
  readonly value: unknown;
  /** The last state, if a state was waited for. */
  declare readonly state?: string;

  constructor(
    reason: WaitFailure,
    last: { readonly value: unknown; readonly state?: string | undefined },
    details: CallContext & { readonly what: string; readonly nextStep: string; readonly cause?: unknown },
  ) {
    super({ outcome: 'unknown', ...details, reason });
    this.value = last.value;
    // It can hold personal data, so log lines and JSON don't show it.
    Object.defineProperty(this, 'value', { enumerable: false });
    if (last.state !== undefined) this.state = last.state;
  }
}

/** The effect of a function that hangs, and what to do. */
export interface CallbackTimeoutDetails extends CallContext {
  readonly outcome?: Outcome;
  readonly nextStep?: string;
}

/** A function that you gave did not answer within its limit. */
export class CallbackTimeoutError extends VehicleAuctionError {
  static {
    identify(this, 'CallbackTimeoutError');
  }

  declare readonly reason: 'callback_timeout';
  /** The function, such as `policy`. */
  readonly callback: string;
  /** The limit that passed, ms. */
  readonly limit: number;

  constructor(callback: string, limit: number, details: CallbackTimeoutDetails = {}) {
    super({
      outcome: 'not_sent',
      nextStep: 'Find out why it hangs, then call again.',
      ...details,
      reason: 'callback_timeout',
      what: `${callback} did not answer within ${limit} ms.`,
    });
    this.callback = callback;
    this.limit = limit;
  }
}
