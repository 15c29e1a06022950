import { RETRY_AFTER_CEILING_MS } from '../core/resend.js';
import type { IntentEvent, ResultEvent } from './content.js';

/** One event in a few words. */
export function wordsOf(event: IntentEvent): string {
  switch (event.type) {
    case 'placed':
      return event.placeBy === undefined
        ? 'recorded'
        : `recorded; may be sent until ${new Date(event.placeBy).toISOString()}`;
    case 'attempt':
      return `attempt ${event.n}, signed with key ${event.keyId}`;
    case 'result':
      return `attempt ${event.n}: ${event.effect} (${event.why})${replayNote(event)}${clockNote(event)}${waitNote(event)}`;
    case 'lookup':
      return `lookup (A06): ${event.found}${event.why === undefined ? '' : ` (${event.why})`}`;
    case 'clock_corrected':
      return `server time corrected by ${event.by} ms; may be sent until ${new Date(event.placeBy).toISOString()}`;
    case 'confirm':
      return 'every verdict is to be confirmed by a lookup';
    case 'voided':
      return `another key (${event.otherKey}) got a verdict with the same ids, so neither is believed before a lookup`;
    case 'bid_read':
      return `bid read (A05): ${event.found}${event.why === undefined ? '' : ` (${event.why})`}`;
    case 'target_read': {
      const { noun, version, expected } = event;
      return `${noun} read: ${version === undefined ? 'not found' : `version ${version}`}, expected version ${expected}`;
    }
    case 'lot_read':
      return `lot read (A10): ${event.closed ? 'closed' : 'open'}${closeNote(event.closesAt)}`;
    case 'cancellation':
      return 'its cancellation (A07) was requested';
    case 'unsent':
      return `not sent: ${event.why}`;
    case 'stuck':
      return `needs manual resolution: ${event.why}`;
    case 'abandoned':
      return `abandoned: ${event.why}${event.damaged === undefined ? '' : '; its row in the store was damaged'}`;
    case 'expired':
      return 'the service may have forgotten the key, so the refusal counts as final';
    case 'restored':
      return 'the store was restored from a backup';
  }
}

function replayNote({ replayed }: ResultEvent): string {
  return replayed === true ? ', answered from its record of the key' : '';
}

function clockNote({ clockOffset, timestampLost }: ResultEvent): string {
  if (timestampLost === true) return ', the timestamp was current when it left this machine';
  if (clockOffset === undefined) return '';
  const seconds = Math.round(Math.abs(clockOffset) / 1_000);
  return `, the local clock is ${seconds} s ${clockOffset > 0 ? 'behind' : 'ahead of'} server time`;
}

function waitNote({ retryAfter }: ResultEvent): string {
  if (retryAfter === undefined) return '';
  const seconds = (ms: number) => Math.ceil(ms / 1_000);
  const cut =
    retryAfter > RETRY_AFTER_CEILING_MS ? `, of which calls pause ${seconds(RETRY_AFTER_CEILING_MS)} s` : '';
  return `, the service asks to wait ${seconds(retryAfter)} s${cut}`;
}

function closeNote(closesAt: number | undefined): string {
  return closesAt === undefined ? '' : `, closes ${new Date(closesAt).toISOString()}`;
}
