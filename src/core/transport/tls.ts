import type * as Crypto from 'node:crypto';
import type { SecureContext } from 'node:tls';
import { ConfigurationError } from '../../errors/local.js';
import { thrownMessage } from '../../errors/thrown.js';
import { checkNames } from '../../runtime/injected.js';
import { nodeModule, optionalModule } from '../../runtime/node-modules.js';

const { types } = nodeModule('node:util');

/** PEM, as text or bytes. */
type Pem = string | Uint8Array;

/** Certificates to trust, and one of your own for services that ask for it (mutual TLS). */
export interface TlsOptions {
  /** Certificates to trust in addition to the ones that Node trusts: PEM, one or many in each. */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /** Your certificate with its chain, PEM. Together with `key`. */
  readonly cert?: Pem | undefined;
  /** The private key of `cert`, PEM. It shows in no log, error or inspection. */
  readonly key?: Pem | undefined;
  /** Your certificate and its private key in one file (PKCS#12, `.pfx`, `.p12`), as bytes. In place of `cert` and `key`. */
  readonly pfx?: Uint8Array | undefined;
  /** The passphrase of `key` or `pfx`. It shows in no log, error or inspection. */
  readonly passphrase?: string | undefined;
}

/** The client's own certificate, as `node:tls` takes it. */
type Own =
  | { readonly cert: string; readonly key: string; readonly passphrase?: string }
  | { readonly pfx: Buffer; readonly passphrase?: string };

export interface TlsSettings {
  /** Equal for equal settings. It contains secrets: digest it before it goes anywhere. */
  readonly identity: string;
  /** One certificate each, PEM; empty if none is added. */
  readonly ca: readonly string[];
  readonly own: Own | undefined;
}

/** Resolves the option `tls`; undefined if there is none. @throws ConfigurationError for what can't work */
export function resolveTls(options: TlsOptions | undefined, now = Date.now()): TlsSettings | undefined {
  if (options === undefined) return undefined;
  checkNames('tls', options, ['ca', 'cert', 'key', 'pfx', 'passphrase']);
  const ca = options.ca === undefined ? new Map<string, string>() : trusted(options.ca);
  const own = ownIn(options, now);
  if (ca.size === 0 && own === undefined) return undefined;
  const shown = own !== undefined && 'pfx' in own ? { ...own, pfx: own.pfx.toString('base64') } : own;
  return { identity: JSON.stringify([[...ca.keys()].sort(), shown]), ca: [...ca.values()], own };
}

/** A context with what Node trusts by default and these settings. Made once and shared: it takes 20 ms. */
export async function secureContextOf({ ca, own }: TlsSettings): Promise<SecureContext> {
  const tls = await import('node:tls');
  return tls.createSecureContext({
    ...(ca.length > 0 && { ca: [...(await defaultRoots(tls)), ...ca] }),
    ...own,
  });
}

function ownIn({ cert, key, pfx, passphrase }: TlsOptions, now: number): Own | undefined {
  if (passphrase !== undefined && (typeof passphrase !== 'string' || passphrase === ''))
    throw refused('tls.passphrase', 'must be a text that is not empty');
  if (pfx !== undefined) {
    const other = cert !== undefined ? 'tls.cert' : key !== undefined ? 'tls.key' : undefined;
    if (other !== undefined)
      throw refused(other, 'must not be given together with tls.pfx, which holds both');
    return checkedPfx(pfx, passphrase);
  }
  if (cert === undefined && key === undefined) {
    if (passphrase === undefined) return undefined;
    throw refused('tls.passphrase', 'must be given together with tls.key or tls.pfx');
  }
  if (cert === undefined) throw refused('tls.cert', 'is missing: give cert and key together');
  if (key === undefined) throw refused('tls.key', 'is missing: give cert and key together');
  const chain = certificatesIn('tls.cert', cert).map(([, pem]) => pem);
  const text = checkedKey(key, passphrase, chain[0] ?? '');
  checkDates(chain[0] ?? '', now);
  return { cert: chain.join('\n'), key: text, ...(passphrase !== undefined && { passphrase }) };
}

/** Certificates to trust, by fingerprint. */
function trusted(given: unknown): Map<string, string> {
  if (!Array.isArray(given)) return new Map(certificatesIn('tls.ca', given));
  if (given.length === 0) throw refused('tls.ca', 'must hold at least one certificate');
  return new Map(given.flatMap((bundle, index) => certificatesIn('tls.ca', bundle, `item ${index + 1}`)));
}

/** @throws ConfigurationError for a key that is invalid, encrypted, or belongs to another certificate */
function checkedKey(given: unknown, passphrase: string | undefined, certificate: string): string {
  const text = pemText(given);
  if (text === undefined || !text.includes('-----BEGIN '))
    throw refused('tls.key', 'must be a private key as PEM, not a path to it');
  const { createPrivateKey, X509Certificate } = cryptoFor('tls.key');
  let key: Crypto.KeyObject;
  try {
    key = createPrivateKey({ key: text, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    // Without the cause, because the message of OpenSSL could show part of the key.
    if (!/ENCRYPTED/.test(text)) throw refused('tls.key', 'must be a private key, PEM');
    if (passphrase === undefined)
      throw refused('tls.key', 'is encrypted: give its passphrase as tls.passphrase');
    throw refused('tls.passphrase', 'does not decrypt tls.key');
  }
  if (!new X509Certificate(certificate).checkPrivateKey(key)) {
    const problem = 'must be the key of tls.cert; if tls.cert is a chain, your own certificate comes first';
    throw refused('tls.key', problem);
  }
  return text;
}

function checkedPfx(given: unknown, passphrase: string | undefined): Own {
  if (!types.isUint8Array(given)) {
    throw refused('tls.pfx', 'must be the bytes of the file: read it without an encoding; not a path to it');
  }
  const pfx = Buffer.from(given);
  const own = { pfx, ...(passphrase !== undefined && { passphrase }) };
  const tls = optionalModule('node:tls');
  if (tls === undefined) throw refused('tls.pfx', 'needs node:tls, which this runtime does not have');
  try {
    tls.createSecureContext(own);
  } catch (error) {
    // Without the cause: see above.
    throw refused(...pfxProblem(thrownMessage(error), passphrase));
  }
  return own;
}

function pfxProblem(said: string, passphrase: string | undefined): [option: string, problem: string] {
  if (/mac verify/i.test(said)) {
    return passphrase === undefined
      ? ['tls.pfx', 'needs a passphrase: give it as tls.passphrase']
      : ['tls.passphrase', 'does not open tls.pfx'];
  }
  if (/unsupported/i.test(said)) {
    const convert = 'openssl pkcs12 -legacy -in old.pfx -nodes | openssl pkcs12 -export -out new.pfx';
    return ['tls.pfx', `uses an encryption that this runtime no longer reads; convert it: ${convert}`];
  }
  return ['tls.pfx', 'must be a PKCS#12 file with one certificate and its private key'];
}

/** @throws ConfigurationError for a certificate that is not valid at present */
function checkDates(certificate: string, now: number): void {
  const { X509Certificate } = cryptoFor('tls.cert');
  const { validFrom, validTo } = new X509Certificate(certificate);
  const clock = 'check the clock of this machine, else ask for a new certificate';
  if (Date.parse(validTo) < now) throw refused('tls.cert', `expired on ${validTo}; ${clock}`);
  if (Date.parse(validFrom) > now) throw refused('tls.cert', `is valid from ${validFrom} on; ${clock}`);
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
  const crypto = optionalModule('node:crypto');
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
