import { dealerId as dealerIdSchema } from '../api/common.js';
import type { PartnerType } from '../api/operation.js';
import { ConfigurationError } from '../errors/local.js';
import { PartnerResources } from '../resources/partner.js';
import { type Composition, compose } from './compose.js';
import { fromEnvironment } from './environment.js';
import type { PartnerClientOptions } from './options.js';
import { partnerRules } from './partner-rules.js';
import { checkOptions } from './resolve.js';
import { type Expectations, type Finding, verifyWith } from './verify.js';

const partnerTypes: readonly PartnerType[] = ['direct_dealer', 'platform', 'aggregator'];

/**
 * The service as a partner of a bank sees it: direct dealers, and platforms or aggregators that act for buyers.
 * One client per set of credentials; it is safe to share between concurrent requests.
 */
export class PartnerClient<P extends PartnerType = PartnerType> extends PartnerResources<P> {
  readonly #insides: Composition;
  readonly #shown: object;
  readonly #expected: Expectations;

  /**
   * The service as a partner of a bank sees it. Options that are left out and have a variable are read from the
   * environment.
   *
   * @throws ConfigurationError for what can't work, naming the option.
   */
  constructor(options: PartnerClientOptions<P>) {
    checkOptions(options, ['partnerType', 'dealerId']);
    const { partnerType } = options;
    if (!partnerTypes.includes(partnerType)) {
      throw new ConfigurationError('partnerType', `must be one of ${partnerTypes.join(', ')}`);
    }
    // A dealer id of the environment belongs to the credentials of the environment.
    const dealerId =
      options.dealerId ?? (options.credentials === undefined ? fromEnvironment('DEALER_ID') : undefined);
    if (
      dealerId !== undefined &&
      (!dealerIdSchema.safeParse(dealerId).success || dealerId !== dealerId.trim())
    ) {
      throw new ConfigurationError(
        'dealerId',
        'must be a string of 1 to 32 characters, without white space around it',
      );
    }
    const insides = compose(options, {
      fill: dealerId === undefined ? {} : { dealer_id: dealerId },
      check: partnerRules(partnerType),
    });
    super(insides.call);
    this.#insides = insides;
    this.#expected = {
      clientId: insides.shown.clientId,
      actor: 'partner',
      environment: options.environment,
      partnerType,
      dealerId,
      scopes: ['catalogue:read', 'bids:write', 'bids:read'],
    };
    this.#shown = { ...insides.shown, partnerType, ...(dealerId !== undefined && { dealerId }) };
  }

  /**
   * Asks the service who these credentials are (A01) and compares it with how this client is set up: actor,
   * environment, kind of partner, dealer, scopes, and the clock. Call it once at start-up and log what isn't `ok`.
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
    return this.#shown;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `PartnerClient ${JSON.stringify(this.#shown)}`;
  }
}
