import { BankResources } from '../resources/bank.js';
import { type Composition, compose } from './compose.js';
import type { BankClientOptions } from './options.js';
import { noBuyerAskedFor } from './partner-rules.js';
import { checkOptions } from './resolve.js';
import { type Expectations, type Finding, verifyWith } from './verify.js';

/**
 * The service as a bank's own backend sees it, with bank-service credentials. There is no bidding on it.
 * One client per set of credentials; it is safe to share between concurrent requests.
 */
export class BankClient extends BankResources {
  readonly #insides: Composition;
  readonly #expected: Expectations;

  /**
   * The service as a bank's own backend sees it. Options that are left out and have a variable are read from the
   * environment.
   *
   * @throws ConfigurationError for what can't work, naming the option.
   */
  constructor(options: BankClientOptions = {}) {
    checkOptions(options);
    const insides = compose(options, { fill: {}, check: noBuyerAskedFor });
    super(insides.call);
    this.#insides = insides;
    this.#expected = {
      clientId: insides.shown.clientId,
      actor: 'bank',
      environment: options.environment,
      scopes: ['integration:read'],
    };
  }

  /**
   * Asks the service who these credentials are (A01) and compares it with how this client is set up: actor,
   * environment, and the clock. Call it once at start-up and log what isn't `ok`.
   *
   * @throws AuthenticationError or PermissionError where the credentials are not accepted.
   * @throws ConfigurationError where the service knows them under another client id.
   */
  verify(): Promise<Finding[]> {
    return verifyWith(() => this.integration.profile(), this.#expected, this.#insides.clock);
  }

  /** Refuses new calls, lets those under way finish, then lets go of the connections. */
  close(): Promise<void> {
    return this.#insides.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal What may be shown: where it points and as whom, never a secret. */
  toJSON(): object {
    return this.#insides.shown;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `BankClient ${JSON.stringify(this.#insides.shown)}`;
  }
}
