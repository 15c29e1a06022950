import type { Keys } from '../core/call-inputs.js';
import { ConfigurationError } from '../errors/local.js';
import type { Clock } from '../ports/clock.js';
import { ask } from '../runtime/user-code.js';
import { createSigner, type Signer } from '../signing/signer.js';
import { fromEnvironment, missing } from './environment.js';
import type { Credentials, CredentialsSource } from './options.js';

const credentialVariables = ['CLIENT_ID', 'KEY_ID', 'SIGNING_SECRET'] as const;

/**
 * Keys from the options or the environment. Credentials come completely from one of the two: a mixture would sign with
 * another client's key.
 *
 * @throws ConfigurationError
 */
export function resolveKeys(given: Credentials | CredentialsSource | undefined, clock: Clock): Keys {
  if (typeof given === 'function') return new FetchedKeys(given, clock);
  if (given !== undefined) {
    if (typeof given === 'object' && given !== null) return fixedKeys(given);
    throw new ConfigurationError(
      'credentials',
      'must be an object with clientId, keyId and signingSecret (or sign), or a function that gives one',
    );
  }
  const [clientId = '', keyId = '', signingSecret = ''] = credentialVariables.map(fromEnvironment);
  const unset = credentialVariables.filter((name) => fromEnvironment(name) === undefined);
  if (unset.length > 0) throw missing('credentials', ...unset);
  return fixedKeys({ clientId, keyId, signingSecret });
}

/** Keys from credentials that do not change. @throws ConfigurationError for unusable ones */
function fixedKeys(credentials: Credentials): Keys {
  const signer = createSigner(credentials);
  return {
    signer,
    fetch: async () => signer,
    renew: async () => false,
    abandon: () => undefined,
    secrets: secretsOf(credentials),
  };
}

/** Timeout of a credentials provider, ms. Each call waits for it within its own deadline, too. */
const CREDENTIALS_MS = 30_000;

interface Held {
  readonly signer: Signer;
  readonly credentials: Credentials;
}

function secretsOf(credentials: Credentials): string[] {
  return 'signingSecret' in credentials && credentials.signingSecret !== undefined
    ? [credentials.signingSecret]
    : [];
}

/** True if both make the same signatures. */
function signsAlike(one: Credentials, other: Credentials): boolean {
  return (
    one.clientId === other.clientId &&
    one.keyId === other.keyId &&
    Reflect.get(one, 'signingSecret') === Reflect.get(other, 'signingSecret') &&
    Reflect.get(one, 'sign') === Reflect.get(other, 'sign')
  );
}

/** Keys from a credentials provider, which is called at the first call and again when a key is revoked. */
class FetchedKeys implements Keys {
  readonly #fetch: CredentialsSource;
  readonly #clock: Clock;
  readonly #secrets = new Set<string>();
  #held: Held | undefined;
  #fetching: Promise<Held> | undefined;

  constructor(fetch: CredentialsSource, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  get signer(): Signer | undefined {
    return this.#held?.signer;
  }

  async fetch(): Promise<Signer> {
    return (await this.#ask()).signer;
  }

  async renew(revoked: Signer): Promise<boolean> {
    // Many calls learn of a revoked key at the same time; the first one asks for all of them.
    const before = this.#held;
    if (before !== undefined && before.signer !== revoked) return true;
    const after = await this.#ask();
    return before === undefined || !signsAlike(after.credentials, before.credentials);
  }

  #ask(): Promise<Held> {
    if (this.#fetching === undefined) {
      const fetching = this.#load().finally(() => {
        if (this.#fetching === fetching) this.#fetching = undefined;
      });
      this.#fetching = fetching;
    }
    return this.#fetching;
  }

  abandon(): void {
    this.#fetching = undefined;
  }

  async #load(): Promise<Held> {
    const asking = { name: 'credentials', clock: this.#clock, limit: CREDENTIALS_MS };
    const credentials = await ask(() => this.#fetch(), asking);
    if (typeof credentials !== 'object' || credentials === null) {
      throw new ConfigurationError(
        'credentials',
        'must give an object with clientId, keyId and signingSecret, or sign in its place',
      );
    }
    const signer = createSigner(credentials);
    const known = this.#held?.signer.clientId;
    if (known !== undefined && known !== signer.clientId) {
      // Idempotency keys belong to an API client: under another one a retry would be a second bid.
      throw new ConfigurationError(
        'credentials.clientId',
        `must stay ${known}, not become ${signer.clientId}: make a new client for other credentials`,
      );
    }
    const held = this.#held;
    // Keeps the same signer, so that calls that learn late of a revoked key see that nothing has changed.
    if (held !== undefined && signsAlike(held.credentials, credentials)) return held;
    for (const secret of secretsOf(credentials)) this.#secrets.add(secret);
    this.#held = { signer, credentials: { ...credentials } };
    return this.#held;
  }
}
