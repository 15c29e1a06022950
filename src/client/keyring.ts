import type { Keys } from '../core/keys.js';
import { type Leaks, leaksOf } from '../core/redact.js';
import { ConfigurationError } from '../errors/local.js';
import { createSigner, type Signer } from '../signing/signer.js';
import type { Credentials } from './options.js';

/** The keys of a client, and what may be told of them. */
export interface Keyring extends Keys {
  /** Tells whether a text shows any of the secrets. */
  readonly leaks: Leaks;
  /** Ids of the key in use; undefined before the first one was fetched. */
  readonly ids: { readonly clientId: string; readonly keyId: string } | undefined;
}

/** Keys from credentials that are given once and for all. @throws ConfigurationError for unusable ones. */
export function fixedKeyring(credentials: Credentials): Keyring {
  const signer = createSigner(credentials);
  return {
    current: () => signer,
    renew: async () => false,
    abandon: () => undefined,
    leaks: leaksOf(credentials.signingSecret),
    ids: { clientId: signer.clientId, keyId: signer.keyId },
  };
}

/** Keys from credentials that a function gives: asked at the first call, and again when a key is revoked. */
export function fetchedKeyring(fetch: () => Credentials | Promise<Credentials>): Keyring {
  return new FetchedKeyring(fetch);
}

interface Held {
  readonly signer: Signer;
  readonly secret: string;
}

class FetchedKeyring implements Keyring {
  readonly #fetch: () => Credentials | Promise<Credentials>;
  readonly #leaks: Leaks[] = [];
  #held: Held | undefined;
  #fetching: Promise<Held> | undefined;

  constructor(fetch: () => Credentials | Promise<Credentials>) {
    this.#fetch = fetch;
  }

  get ids() {
    const signer = this.#held?.signer;
    return signer === undefined ? undefined : { clientId: signer.clientId, keyId: signer.keyId };
  }

  readonly leaks: Leaks = (text) => this.#leaks.some((leaks) => leaks(text));

  current(): Signer | Promise<Signer> {
    return this.#held?.signer ?? this.#ask().then(({ signer }) => signer);
  }

  async renew(revoked: Signer): Promise<boolean> {
    // Many calls learn of a revoked key at the same time; the first one asks for all of them.
    const before = this.#held;
    if (before !== undefined && before.signer !== revoked) return true;
    const after = await this.#ask();
    return after.signer.keyId !== revoked.keyId || after.secret !== before?.secret;
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
    const credentials: unknown = await this.#fetch();
    if (!isCredentials(credentials)) {
      throw new ConfigurationError(
        'credentials',
        'must give an object with clientId, keyId and signingSecret',
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
    const isSame = held?.signer.keyId === signer.keyId && held.secret === credentials.signingSecret;
    // The same signer stays, so that calls which learn late of a revoked key see that nothing has changed.
    if (held !== undefined && isSame) return held;
    if (credentials.signingSecret !== held?.secret) this.#leaks.push(leaksOf(credentials.signingSecret));
    this.#held = { signer, secret: credentials.signingSecret };
    return this.#held;
  }
}

function isCredentials(value: unknown): value is Credentials {
  return typeof value === 'object' && value !== null;
}
