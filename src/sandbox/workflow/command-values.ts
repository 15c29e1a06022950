import type { World } from '../world.js';
import { unfit } from './commands.js';

/*
 * Values of commands that the API leaves open: taken as they come, unless their row is switched.
 */

/** Which `reason_code` is taken (unknowns: `cancellation-reason-codes`); these are made up. */
export function mustBeReasonCode({ settings }: World, code: string): void {
  if (settings.variants['cancellation-reason-codes'] === 'any' || reasonCodes.includes(code)) return;
  throw unfit('reason_code', `The reason code is one of ${reasonCodes.join(', ')}.`);
}

/** Whether persons, places and instructions are texts or objects (unknowns: `party-shapes`). */
export function mustBeParties({ settings }: World, fields: Readonly<Record<string, unknown>>): void {
  const shape = settings.variants['party-shapes'];
  if (shape === 'text-or-object') return;
  for (const [field, value] of Object.entries(fields)) {
    if ((typeof value === 'string') !== (shape === 'text')) {
      throw unfit(field, shape === 'text' ? 'This is a text here.' : 'This is an object here.');
    }
  }
}

/** Which `method` of a payment is taken (unknowns: `payment-method-values`). */
export function mustBeMethod({ settings }: World, method: string): void {
  if (settings.variants['payment-method-values'] === 'any' || method === 'bank_transfer') return;
  throw unfit('method', 'This sandbox knows the method bank_transfer only.');
}

const reasonCodes: readonly string[] = [
  'buyer_request',
  'bank_request',
  'entered_in_error',
  'not_as_described',
  'other',
];
