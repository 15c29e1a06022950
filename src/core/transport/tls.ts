import type * as Crypto from 'node:crypto';
import type { SecureContext } from 'node:tls';
import { types } from 'node:util';
import { ConfigurationError } from '../../errors/local.js';
import { checkNames } from '../../runtime/injected.js';

/** PEM, as text or bytes. */
type Pem = string | Uint8Array;

/** Certificates to trust, and one of your own for services that ask for it (mutual TLS). */
export interface TlsOptions {
  /** Certificates to trust in addition to the ones that Node trusts: PEM, one or many in each. */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /** Your certificate with its chain, PEM. Together with `key`. */
  readonly cert?: Pem | undefined;
  /** The private key of `cert`, PEM, not encrypted. It shows in no log, error or inspection. */
  readonly key?: Pem | undefined;
}

export interface TlsSettings {
  /** Equal where the settings are equal. It contains the key: digest it before it goes anywhere. */
  readonly identity: string;
  /** One certificate each, PEM; empty where none is added. */
  readonly ca: readonly string[];
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Resolves the option `tls`; undefined where there is none. @throws ConfigurationError for what is not PEM. */
export function resolveTls(options: TlsOptions | undefined): TlsSettings | undefined {
  if (options === undefined) return undefined;
  checkNames('tls', options, ['ca', 'cert', 'key']);
  const ca = options.ca === undefined ? new Map<string, string>() : trusted(options.ca);
  const cert = options.cert === undefined ? undefined : chain(options.cert);
  const key = options.key === undefined ? undefined : checkedKey(options.key);
  if ((cert === undefined) !== (key === undefined)) {
    const missing = cert === undefined ? 'tls.cert' : 'tls.key';
    throw refused(missing, 'is missing: give cert and key together');
  }
  if (ca.size === 0 && cert === undefined) return undefined;
  return { identity: JSON.stringify([[...ca.keys()].sort(), cert, key]), ca: [...ca.values()], cert, key };
}

/** A context with what Node trusts by default and these settings. Made once and shared: it takes 20 ms. */
export async function secureContextOf({ ca, cert, key }: TlsSettings): Promise<SecureContext> {
  const tls = await import('node:tls');
  return tls.createSecureContext({
    ...(ca.length > 0 && { ca: [...(await defaultRoots(tls)), ...ca] }),
    ...(cert !== undefined && { cert, key }),
  });
}

/** Certificates to trust, by fingerprint. */
function trusted(given: unknown): Map<string, string> {
  if (!Array.isArray(given)) return new Map(certificatesIn('tls.ca', given));
  if (given.length === 0) throw refused('tls.ca', 'must hold at least one certificate');
  return new Map(given.flatMap((bundle, index) => certificatesIn('tls.ca', bundle, `item ${index + 1}`)));
}

function chain(given: unknown): string {
  return certificatesIn('tls.cert', given)
    .map(([, pem]) => pem)
    .join('\n');
}

function checkedKey(given: unknown): string {
  const text = pemText(given);
  if (text === undefined || !text.includes('-----BEGIN '))
    throw refused('tls.key', 'must be a private key as PEM, not a path to it');
  const { createPrivateKey } = cryptoFor('tls.key');
  try {
    createPrivateKey(text);
  } catch {
    // Without the cause: what OpenSSL says could show part of the key.
    throw refused('tls.key', 'must be a private key that is not encrypted');
  }
  return text;
}

/** The certificates of one bundle, each with its fingerprint. */
function certificatesIn(
  option: string,
  bundle: unknown,
  where = 'the given value',
): [fingerprint: string, pem: string][] {
  const text = pemText(bundle);
  if (text === undefined) throw refused(option, `must be PEM, as text or bytes; ${where} is neither`);
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = text.split(BEGIN).length - 1;
  if (begun === 0) throw refused(option, `must be PEM itself, not a path to it; ${where} has no "${BEGIN}"`);
  if (blocks.length < begun) throw refused(option, `must be complete; a certificate in ${where} has no end`);
  const { X509Certificate } = cryptoFor(option);
  return blocks.map((pem, index) => {
    try {
      return [new X509Certificate(pem).fingerprint256, pem];
    } catch (cause) {
      const problem = `must hold X.509 certificates; certificate ${index + 1} in ${where} cannot be parsed`;
      throw refused(option, problem, cause);
    }
  });
}

/** Loaded when it is used: a Node without OpenSSL has no `node:crypto`, and no TLS either. */
function cryptoFor(option: string): typeof Crypto {
  const crypto: typeof Crypto | undefined = process.getBuiltinModule('node:crypto');
  if (crypto === undefined) throw refused(option, 'needs node:crypto, which this runtime does not have');
  return crypto;
}

const BEGIN = '-----BEGIN CERTIFICATE-----';

function pemText(pem: unknown): string | undefined {
  if (types.isUint8Array(pem)) return Buffer.from(pem).toString('latin1');
  return typeof pem === 'string' ? pem : undefined;
}

/** A context that is given certificates trusts no others, so the default ones are given to it as well. */
async function defaultRoots(tls: typeof import('node:tls')): Promise<readonly string[]> {
  // Node 22.15 and later return what they trust, including the system's roots and NODE_EXTRA_CA_CERTS.
  const get: unknown = Reflect.get(tls, 'getCACertificates');
  if (typeof get === 'function') return Reflect.apply(get, tls, ['default']);
  const extra = process.env['NODE_EXTRA_CA_CERTS'];
  if (extra === undefined || extra === '') return tls.rootCertificates;
  const { readFile } = await import('node:fs/promises');
  // Node itself continues without a file that it cannot read, and has warned about it.
  const file = await readFile(extra, 'latin1').catch(() => '');
  return [...tls.rootCertificates, file];
}

function refused(option: string, problem: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(option, problem, cause === undefined ? {} : { cause });
}
