import type { PartnerType } from '../api/operation.js';
import type { RiskLimits } from '../bids/types.js';
import type { FlightRecorder } from '../core/recorder/flight-recorder.js';
import type { Hooks } from '../core/telemetry.js';
import type { UndiciTransportOptions } from '../core/transport/agents.js';
import type { TlsOptions } from '../core/transport/tls.js';
import type { Transport } from '../core/transport/transport.js';
import type { Clock } from '../ports/clock.js';
import type { Logger, LogLevel } from '../ports/logger.js';
import type { Randomness } from '../ports/randomness.js';
import type { QuotaOptions } from '../quota/options.js';
import { checkNames } from '../runtime/injected.js';
import type { RemoteCredentials, SigningCredentials } from '../signing/signer.js';
import type { Store } from '../store/store.js';
import type { DeploymentSettings } from './deployment-profile.js';

/** Credentials of one environment: with the secret, or with a function that signs where the secret is kept. */
export type Credentials = SigningCredentials | RemoteCredentials;

/**
 * Gives credentials when they are needed: at the first call, and again when the service says that the key is
 * revoked. Key id and secret may change; the client id must stay.
 */
export type CredentialsSource = () => Credentials | Promise<Credentials>;

/** Options that `withOptions()` can change. */
export interface OverridableOptions extends Hooks {
  /** Milliseconds for one attempt, the body of its reply included; defaults to 15,000. */
  readonly timeout?: number | undefined;
  /** Milliseconds for a whole call with its retries and its wait for the quota; defaults to 90,000. */
  readonly deadline?: number | undefined;
  /**
   * Maximum number of attempts of a call; defaults to 3 for reads and commands. A bid is tried until its deadline
   * unless this is set.
   */
  readonly maxAttempts?: number | undefined;
  /** Largest JSON reply in bytes; defaults to 16 MiB. */
  readonly maxReplyBytes?: number | undefined;
  /**
   * Receiver of log lines; defaults to the console. A logger of pino, bunyan, winston or consola works as it is. Lines
   * never hold a secret, a signature or a body.
   */
  readonly logger?: Logger | undefined;
  /** The most verbose level that is logged. Else `VEHICLE_AUCTION_LOG`; defaults to `warn`. */
  readonly logLevel?: LogLevel | undefined;
}

/** Options of both clients. Options that are left out and have a variable are read from the environment. */
export interface ClientOptions extends OverridableOptions {
  /** Service address up to and including `/api/v1`; https, except on loopback. Else `VEHICLE_AUCTION_BASE_URL`. */
  readonly baseUrl?: string | undefined;
  /**
   * Allows plain http to another machine, for a sandbox in another container. Only with `environment: 'sandbox'`; defaults to
   * false.
   */
  readonly insecureHttp?: boolean | undefined;
  /**
   * Environment of this client; `verify()` compares it with the service's. The store keeps the intents of the two
   * apart.
   */
  readonly environment: 'sandbox' | 'production';
  /**
   * Credentials that the bank issued for the environment. Else `VEHICLE_AUCTION_CLIENT_ID`, `VEHICLE_AUCTION_KEY_ID` and
   * `VEHICLE_AUCTION_SIGNING_SECRET`.
   */
  readonly credentials?: Credentials | CredentialsSource | undefined;
  /** Sends the bytes; defaults to undici, or to the runtime's own fetch where undici can't run. A transport given here is yours to close. */
  readonly transport?: Transport | undefined;
  /**
   * Store that records bids and commands before they are sent: `sqliteStore(path)` on one machine, `postgresStore(...)`
   * for several, `memoryStore()` in tests. Production clients need one to write; in the sandbox, the default is memory.
   * Closed with the client.
   */
  readonly store?: Store | undefined;
  /**
   * A label that keeps banks apart on one store: give each bank's clients their own. Idempotency keys of batches and of
   * `runOnce` are derived from it, so it must stay.
   */
  readonly account?: string | undefined;
  /** Earlier base URLs of the same service: intents recorded under them are this client's own. */
  readonly formerOrigins?: readonly string[] | undefined;
  /**
   * Time for which the service is trusted to remember an idempotency key, ms; defaults to 3,600,000 (an hour). The real
   * time is undocumented. Within it a command may be sent again under its key, and the absence of a bid counts.
   */
  readonly keyRetention?: number | undefined;
  /**
   * Profile of the deployment that `vehicle-auction-sdk learn` wrote, from `parseProfile()`. Other options take
   * precedence. Defaults to none.
   */
  readonly profile?: DeploymentSettings | undefined;
  /** Retention of settled intents, ms; defaults to 30 days. `Infinity`: for ever. */
  readonly retention?: number | undefined;
  /**
   * Retention of audit entries of approvals that a `sink` has taken, ms; at least a day, defaults to `Infinity`. Other
   * entries are never deleted.
   */
  readonly auditRetention?: number | undefined;
  /** The request budget. Defaults to 120 a minute for all clients on the store that call the same origin. */
  readonly quota?: QuotaOptions | undefined;
  /**
   * A proxy to tunnel through: its URL, or `env` for HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY. Defaults to none. Not
   * together with `transport`.
   */
  readonly proxy?: string | undefined;
  /** Certificates to trust, such as a company's own, and a client certificate. Not together with `transport`. */
  readonly tls?: TlsOptions | undefined;
  /** Limit of the headers of a reply, in bytes; defaults to 16,384. Not together with `dispatcher` or `transport`. */
  readonly maxHeaderSize?: number | undefined;
  /**
   * The IP address of this machine that connections come from, to the service or to the proxy, if the bank allows only
   * some. Not together with `dispatcher` or `transport`.
   */
  readonly localAddress?: string | undefined;
  /**
   * An undici dispatcher (undici 7 or later) that carries the requests. It is yours to close; not together with `proxy`, `tls`,
   * `maxHeaderSize`, `localAddress`, `transport`.
   */
  readonly dispatcher?: UndiciTransportOptions['dispatcher'];
  /**
   * Headers to send with every request, such as a gateway's. They are not signed; those that the SDK sends itself cannot
   * be set.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Keeps the latest calls, redacted, for a support bundle. Make it with `flightRecorder()`; defaults to none. */
  readonly flightRecorder?: FlightRecorder | undefined;
  /** Time, for tests; defaults to the machine's clock. */
  readonly clock?: Partial<Clock> | undefined;
  /** UUIDs, nonces and jitter, for tests; defaults to the machine's randomness. */
  readonly randomness?: Partial<Randomness> | undefined;
}

/** Options of a partner's client. */
export interface PartnerClientOptions<P extends PartnerType = PartnerType> extends ClientOptions {
  /**
   * Your kind of partner. It narrows the types: a platform or aggregator must name the buyer on every bid
   * (`bidder_reference`), a direct dealer can't.
   */
  readonly partnerType: P;
  /** Defaults to `VEHICLE_AUCTION_CLIENT_ID`, `_KEY_ID` and `_SIGNING_SECRET`. `dealerId` is the default of the option. */
  readonly credentials?:
    | (Credentials & { readonly dealerId?: string | undefined })
    | CredentialsSource
    | undefined;
  /**
   * Bank-issued bidding dealer id, at most 32 characters, filled in on bids: not the partner id, not the client id.
   * Else the one in `credentials`, or in the environment (`VEHICLE_AUCTION_DEALER_ID`) if the credentials come from there.
   */
  readonly dealerId?: string | undefined;
  /** Limits of the amounts at stake; a bid beyond a limit is not sent. No limits by default. */
  readonly riskLimits?: RiskLimits | undefined;
}

/** Options of a bank's client. */
export type BankClientOptions = ClientOptions;

/** Options that `withOptions()` can change. */
export const overridable: readonly (keyof OverridableOptions)[] = [
  'timeout',
  'deadline',
  'maxAttempts',
  'maxReplyBytes',
  'logger',
  'logLevel',
  'onRequest',
  'onResponse',
  'onOutcome',
];

const clientOptions: readonly (keyof ClientOptions)[] = [
  ...overridable,
  'baseUrl',
  'insecureHttp',
  'environment',
  'credentials',
  'transport',
  'store',
  'account',
  'formerOrigins',
  'keyRetention',
  'profile',
  'retention',
  'auditRetention',
  'quota',
  'proxy',
  'tls',
  'maxHeaderSize',
  'localAddress',
  'dispatcher',
  'headers',
  'flightRecorder',
  'clock',
  'randomness',
];

/** Refuses unknown options: a misspelt one would silently be the default. @throws ConfigurationError */
export function checkClientOptions(options: unknown, further: readonly string[] = []): void {
  checkNames('', options, [...clientOptions, ...further]);
}
