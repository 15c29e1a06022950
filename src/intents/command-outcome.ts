import type { Entry } from './entry.js';
import type { Intent } from './intent.js';
import type { Standing } from './standing.js';
import { callOf } from './stored-call.js';

/** What became of a command that was found open. */
export interface CommandOutcome {
  /**
   * `done`: the service carried it out; `refused`: it recorded nothing; `not_sent`: nothing of it left; `unknown`: it may or
   * may not have taken effect.
   */
  readonly status: 'done' | 'refused' | 'not_sent' | 'unknown';
  readonly idempotencyKey: string;
  /** Operation id, such as `A36`. */
  readonly operation: string;
  /** What the caller knows it by, such as `paymentReports.create`; that of a bid is `bidding.place`. */
  readonly call: string;
  /** What it was sent to, such as `/api/v1/sale-cases/sal_1/acknowledgments`. */
  readonly path: string;
  /** The record that the service returned; present with `done`, but for replies whose form is not shown. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** Every code of a refusal; empty otherwise. */
  readonly codes: readonly string[];
  /** True where the service answered from its record of the key. */
  readonly replayed: boolean;
  /** Attempts that were begun. */
  readonly attempts: number;
  /** Present where a person has to settle it. */
  readonly quarantined?: { readonly reason: string };
  /** What happened, as a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
}

/** Tells what became of a command. `reason`: why nothing more could be found out, where the journal doesn't know. */
export function commandOutcome(
  intent: Intent,
  standing: Standing,
  entries: readonly Entry[],
  reason?: string,
): CommandOutcome {
  const { word, attempts, quarantine } = standing;
  const facts = {
    idempotencyKey: intent.key,
    operation: intent.operation,
    call: callOf(intent),
    path: intent.path,
    codes: word?.codes ?? [],
    replayed: word?.type === 'end' && word.replayed === true,
    attempts,
  };
  switch (standing.state) {
    case 'done':
      return {
        status: 'done',
        ...facts,
        ...(word?.record !== undefined && { record: word.record }),
        what: 'The service carried this command out.',
        nextStep: 'Nothing is left to do.',
      };
    case 'refused':
      return {
        status: 'refused',
        ...facts,
        what: `The service turned this command away and recorded nothing (${word?.reason ?? 'no reason given'}).`,
        nextStep: 'Mend what it names, then call again.',
      };
    case 'prepared':
    case 'not_sent':
      return {
        status: 'not_sent',
        ...facts,
        what: 'Nothing of this command was sent.',
        nextStep: 'Call again if it is still wanted.',
      };
    case 'abandoned':
      return {
        status: 'unknown',
        ...facts,
        what: 'This command was abandoned while its effect was unknown.',
        nextStep: 'Nothing tracks it any more.',
      };
    default: {
      const last = entries.findLast(({ type }) => type === 'end');
      const why = reason ?? (last?.type === 'end' ? last.reason : 'its process ended before a reply came');
      return {
        status: 'unknown',
        ...facts,
        ...(standing.state === 'quarantined' && { quarantined: { reason: quarantine ?? why } }),
        what: `This command may or may not have taken effect (${quarantine ?? why}).`,
        nextStep:
          standing.state === 'unknown' && reason === undefined
            ? 'Recover it with recover({ resend: true }), which sends the same bytes under the same key; or read the record that it was to change.'
            : 'Read the record that it was to change; then abandon this intent (intents.abandon), and call under a new key if it had no effect.',
      };
    }
  }
}
