import { dealerId as dealerIdSchema } from '../api/common.js';
import type { PartnerType } from '../api/operation.js';
import { ConfigurationError } from '../errors/local.js';
import { PartnerResources } from '../resources/partner.js';
import { type Composition, compose } from './compose.js';
import { fromEnvironment } from './environment.js';
import type { PartnerClientOptions } from './options.js';
import { partnerRules } from './partner-rules.js';
import { checkOptions } from './resolve.js';

const partnerTypes: readonly PartnerType[] = ['direct_dealer', 'platform', 'aggregator'];

/**
 * The service as a partner of a bank sees it: direct dealers, and platforms or aggregators that act for buyers.
 * One client per set of credentials; it is safe to share between concurrent requests.
 */
export class PartnerClient<P extends PartnerType = PartnerType> extends PartnerResources<P> {
  readonly #insides: Composition;
  readonly #shown: object;

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
    this.#shown = { ...insides.shown, partnerType, ...(dealerId !== undefined && { dealerId }) };
  }

  /** Refuses new calls, lets those under way finish, then lets go of the connections. */
  close(): Promise<void> {
    return this.#insides.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What may be shown: where it points and as whom, never a secret. */
  toJSON(): object {
    return this.#shown;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `PartnerClient ${JSON.stringify(this.#shown)}`;
  }
}
