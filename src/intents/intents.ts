import type { BaseOptions } from '../core/caller.js';
import { InvalidRequestError } from '../errors/local.js';
import { abandonIntent } from './abandon.js';
import { explained } from './explain.js';
import { type IntentState, namespaceOf } from './intent.js';
import type { StoredIntent } from './journal.js';
import type { Keeper } from './keeper.js';
import { standingOf } from './standing.js';
import { callOf } from './stored-call.js';

/** Options of `recover()`. `deadline` limits the work on each intent. */
export interface RecoverOptions extends BaseOptions {
  /**
   * Also sends again what is unknown, with the same bytes under the same key: a bid while its own deadline allows, a
   * command while the service is sure to remember its key. False when left out: recovery then only looks.
   */
  readonly resend?: boolean | undefined;
}

/** Which intents to list. */
export interface ListOptions {
  /** Unresolved ones (`open`, when left out), settled ones, or all. */
  readonly which?: 'open' | 'settled' | 'all' | undefined;
}

/** An intent in brief. Times are Unix ms. */
export interface IntentSummary {
  readonly idempotencyKey: string;
  /** Operation id, such as `bids.submit` or `A36`. */
  readonly operation: string;
  /** What the caller knows it by, such as `bidding.place` or `paymentReports.create`. */
  readonly call: string;
  /** What it is sent to, such as `/api/v1/sale-cases/sal_1/acknowledgments`. */
  readonly path: string;
  readonly state: IntentState;
  /** Local time. */
  readonly createdAt: number;
  readonly attempts: number;
  /** Of a bid: public lot id, INR decimal string, the platform's buyer, and until when it may be sent (server time). */
  readonly lot?: string;
  readonly amount?: string;
  readonly bidderReference?: string;
  readonly placeBy?: number;
}

/** What intents need of the client around them. */
export interface IntentsParts<Outcome extends { readonly what: string; readonly nextStep: string }> {
  readonly keeper: Keeper;
  /** What became of an intent as it is on record. */
  recorded(stored: StoredIntent): Outcome;
  /** The same, and what may still be done about it. */
  asItStands(stored: StoredIntent): Promise<Outcome>;
  recover(options: RecoverOptions): Promise<readonly Outcome[]>;
  during<T>(call: string, work: () => Promise<T>): Promise<T>;
}

/** What was meant to be done and is on record: every bid that was placed, and every command. */
export class Intents<Outcome extends { readonly what: string; readonly nextStep: string }> {
  readonly #parts: IntentsParts<Outcome>;

  /** @internal */
  constructor(parts: IntentsParts<Outcome>) {
    this.#parts = parts;
  }

  /**
   * The intents of this client's account, the oldest first: the unresolved ones unless told otherwise.
   *
   * @throws JournalError where the journal can't be read.
   */
  list({ which = 'open' }: ListOptions = {}): Promise<IntentSummary[]> {
    const { keeper, during } = this.#parts;
    return during('intents.list', async () => {
      const namespace = namespaceOf(await keeper.accountInTime());
      const open = which === 'all' ? undefined : which === 'open';
      const found: IntentSummary[] = [];
      for await (const stored of keeper.parts.journal.list({ namespace, open }))
        found.push(summaryOf(stored));
      return found;
    });
  }

  /**
   * A readable timeline of one intent: every attempt, what came of it, what is known, and what is allowed next.
   *
   * @param key Its idempotency key.
   * @throws InvalidRequestError where the journal has no intent under this key.
   */
  explain(key: string): Promise<string> {
    const { keeper, during, asItStands } = this.#parts;
    return during('intents.explain', async () => {
      const found = await keeper.parts.journal.find(key);
      const namespace = namespaceOf(await keeper.accountInTime());
      const own = found.filter(({ intent }) => namespaceOf(intent.account) === namespace);
      const shown = own.length > 0 ? own : found;
      if (shown.length === 0) {
        const message = `must be one that the journal (${keeper.parts.journal.name}) knows`;
        throw new InvalidRequestError([{ path: 'key', message }], {
          call: 'intents.explain',
          operation: 'intents.explain',
        });
      }
      const told: string[] = [];
      for (const stored of shown) {
        if (own.length === 0) told.push(explained(stored, [FOREIGN]));
        else {
          const { what, nextStep } = await asItStands(stored);
          told.push(explained(stored, [what, nextStep]));
        }
      }
      return told.join('\n\n');
    });
  }

  /**
   * Settles what was left unresolved, after a crash or a bad hour: looks what became of every open bid, and never bids.
   * With `resend`, what is still unknown is also sent again with its own bytes, as far as that is safe.
   *
   * @returns one outcome for each intent that was open.
   * @throws JournalError where the journal can't be read. Where it fails in the middle, that is logged, and what is settled
   *   by then is returned: recover again for the rest.
   */
  recover(options: RecoverOptions = {}): Promise<readonly Outcome[]> {
    return this.#parts.during('intents.recover', () => this.#parts.recover(options));
  }

  /**
   * Stops tracking an intent whose outcome is unknown, by your word. It stays on record.
   *
   * @param reason Why, for the record.
   * @throws InvalidRequestError where the journal has no unresolved intent under this key, or somebody is at work on it.
   * @throws JournalError where that can't be written down.
   */
  abandon(key: string, reason: string): Promise<Outcome> {
    const { keeper, during, recorded } = this.#parts;
    return during('intents.abandon', async () => {
      const rules = { call: 'intents.abandon', bidsOnly: false };
      return recorded(await abandonIntent(keeper, key, reason, rules));
    });
  }
}

const FOREIGN = 'It belongs to another account: only a client with its credentials can settle it.';

function summaryOf({ intent, entries, state }: StoredIntent): IntentSummary {
  const { bid } = intent;
  const { attempts, placeBy } = standingOf(intent, entries);
  return {
    idempotencyKey: intent.key,
    operation: intent.operation,
    call: callOf(intent),
    path: intent.path,
    state,
    createdAt: intent.createdAt,
    attempts,
    ...(bid !== undefined && { lot: bid.lot, amount: bid.amount, placeBy: placeBy ?? bid.placeBy }),
    ...(bid?.bidderReference !== undefined && { bidderReference: bid.bidderReference }),
  };
}
