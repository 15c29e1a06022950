import type { FailureContext } from './context.js';

/** What is known of the effect, as a sentence; nothing for reads. */
export function effectOf({ outcome, mutates }: FailureContext): string {
  if (!mutates) return '';
  switch (outcome) {
    case 'rejected':
      return ' The rejection is recorded under the idempotency key.';
    case 'refused':
      return ' Nothing was recorded.';
    case 'not_sent':
      return ' Nothing was sent.';
    case 'done':
      return ' It took effect earlier.';
    case 'unknown':
      return ' It may or may not have taken effect.';
  }
}

/** What to do next: settle an unknown effect first, else what makes sense otherwise. */
export function afterUnknown(
  { outcome, mutates, idempotencyKey, operation }: FailureContext,
  otherwise: string,
): string {
  if (!mutates || outcome !== 'unknown') return otherwise;
  const resend = `resend the same body under idempotency key ${idempotencyKey}`;
  return operation === 'bids.submit'
    ? `Look it up with bids.lookup("${idempotencyKey}"), or ${resend}; never bid again under a new key before that.`
    : `To settle it, ${resend}.`;
}

/** A connection error's message, or its code where the message is empty (several addresses tried at once). */
export function describeCause(cause: Error): string {
  if (cause.message !== '') return cause.message.replace(/\s+/g, ' ').trim();
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
