import { errorRecord } from './thrown.js';

/**
 * The known effect of a failed call:
 * - `rejected`: the service judged the bid and rejected it;
 * - `refused`: the service refused the call and recorded nothing;
 * - `not_sent`: no complete request left this process;
 * - `unknown`: the call may or may not have taken effect (for a read: no answer was read);
 * - `done`: according to the store, an earlier call under the same key took effect. This call sent nothing.
 */
export type Outcome = 'rejected' | 'refused' | 'not_sent' | 'unknown' | 'done';

/** Which call an error belongs to. */
export interface CallContext {
  /** Name of the method, such as `bids.lookup`; part of the message. */
  readonly call?: string;
  /** Operation id, such as `A06` or `bids.submit`. */
  readonly operation?: string;
  /** Route template, such as `POST /lots/{lot}/bids`; never filled in. */
  readonly route?: string;
  /** Attempts that were begun, the failed one included. */
  readonly attempts?: number;
  /** The service's id of the request. Give it to support. */
  readonly requestId?: string;
  /** Idempotency key to look the call up with, or to resend it under. */
  readonly idempotencyKey?: string;
}

export interface ErrorDetails extends CallContext {
  readonly outcome: Outcome;
  /** Cause of the error, for programs. Each class lists its reasons. */
  readonly reason: string;
  /** A sentence that says what happened. */
  readonly what: string;
  /** A sentence that says what to do next. */
  readonly nextStep: string;
  readonly cause?: unknown;
}

/** The name of an error class, on its prototype. Every copy and build of the package uses the same symbol. */
const CLASS = Symbol.for('vehicle-auction-sdk.error-class');

/**
 * Names an error class, so that `instanceof` recognises its instances and those of its subclasses whichever copy of the
 * package made them: the ESM build, the CommonJS build, or a second installation. A subclass of yours has no such name,
 * and `instanceof` works for it as for any class.
 *
 * @internal
 */
export function identify(errorClass: { readonly prototype: Error }, name: string): void {
  const { prototype } = errorClass;
  prototype.name = name;
  Object.defineProperty(prototype, CLASS, { value: name });
  Object.defineProperty(errorClass, Symbol.hasInstance, { value: hasInstance });
}

function hasInstance(this: { readonly prototype: object }, value: unknown): boolean {
  const name = classNameOf(this.prototype);
  return name === undefined
    ? Function.prototype[Symbol.hasInstance].call(this, value)
    : isInstance(value, name);
}

/** Whether a value is an instance of the error class of this name, whichever copy of the package made it. @internal */
export function isInstance(value: unknown, name: string): boolean {
  if (typeof value !== 'object') return false;
  for (let object = value; object !== null; object = Object.getPrototypeOf(object)) {
    if (classNameOf(object) === name) return true;
  }
  return false;
}

function classNameOf(prototype: object): string | undefined {
  const name: unknown = Object.hasOwn(prototype, CLASS) ? Reflect.get(prototype, CLASS) : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Base of every error that this package throws. */
export class VehicleAuctionError extends Error {
  static {
    identify(this, 'VehicleAuctionError');
  }

  /** Cause of the error, for programs: a stable word that each class documents. */
  readonly reason: string;
  /** The known effect of the call. */
  readonly outcome: Outcome;
  /** A sentence that says what to do next. */
  readonly nextStep: string;
  /** Name of the method, such as `bids.lookup`; absent outside a call. */
  declare readonly call?: string;
  /** Operation id of the API, such as `A06` or `bids.submit`; absent outside a call. */
  declare readonly operation?: string;
  /** Route template, such as `POST /lots/{lot}/bids`; absent outside a call. */
  declare readonly route?: string;
  /** Attempts that were begun, the failed one included. */
  declare readonly attempts?: number;
  /** The service's id of the request; absent if it gave none. */
  declare readonly requestId?: string;
  /** The idempotency key of the call: look it up, or resend the same body under it. */
  declare readonly idempotencyKey?: string;

  constructor(details: ErrorDetails) {
    super(
      `${prefixOf(details)}${details.what} ${details.nextStep}`,
      'cause' in details ? { cause: details.cause } : undefined,
    );
    this.reason = details.reason;
    this.outcome = details.outcome;
    this.nextStep = details.nextStep;
    if (details.call !== undefined) this.call = details.call;
    if (details.operation !== undefined) this.operation = details.operation;
    if (details.route !== undefined) this.route = details.route;
    if (details.attempts !== undefined) this.attempts = details.attempts;
    if (details.requestId !== undefined) this.requestId = details.requestId;
    if (details.idempotencyKey !== undefined) this.idempotencyKey = details.idempotencyKey;
  }

  /** The error as plain data with its name, message and causes, which JSON and most loggers would drop. */
  toJSON(): object {
    return errorRecord(this);
  }
}

/** The message of an error without its next step, for output with a separate field for that. */
export function withoutNextStep({ message, nextStep }: VehicleAuctionError): string {
  return message.replace(` ${nextStep}`, '');
}

/** Such as `bids.lookup (A06): `, or less if less is known. */
function prefixOf({ call, operation }: CallContext): string {
  if (operation === undefined) return '';
  // Operations without a number are named after their method.
  return call === undefined || call === operation || operation.includes('.')
    ? `${call ?? operation}: `
    : `${call} (${operation}): `;
}
