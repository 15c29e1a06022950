import { X509Certificate } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import { types } from 'node:util';
import { ConfigurationError } from '../errors/local.js';

/** Certificates that are trusted beside the ones that Node trusts anyway. */
export interface Certificates {
  /** Equal where the same certificates are trusted. */
  readonly identity: string;
  /** One certificate each, as PEM. */
  readonly pem: readonly string[];
}

/** Resolves the option `ca`; undefined where there is none. @throws ConfigurationError for what is no PEM certificate. */
export function resolveCertificates(option: unknown): Certificates | undefined {
  if (option === undefined) return undefined;
  const bundles: readonly unknown[] = Array.isArray(option) ? option : [option];
  if (bundles.length === 0) throw refused('must hold at least one certificate');
  const pem = new Map(
    bundles.flatMap((bundle, index) =>
      certificatesIn(bundle, Array.isArray(option) ? `item ${index + 1}` : 'what was given'),
    ),
  );
  return { identity: [...pem.keys()].sort().join(), pem: [...pem.values()] };
}

/** What Node trusts by default, and these. Made once and shared: a context with all the roots takes 20 ms. */
export async function trusting({ pem }: Certificates): Promise<SecureContext> {
  const tls = await import('node:tls');
  return tls.createSecureContext({ ca: [...(await defaultRoots(tls)), ...pem] });
}

/** The certificates of one bundle, each with its fingerprint. */
function certificatesIn(bundle: unknown, where: string): [fingerprint: string, pem: string][] {
  const text = types.isUint8Array(bundle) ? Buffer.from(bundle).toString('latin1') : bundle;
  if (typeof text !== 'string')
    throw refused(`must be PEM, as text or bytes, or an array of them; ${where} is neither`);
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (begun === 0)
    throw refused(`must be PEM itself, not a path to it; ${where} has no "-----BEGIN CERTIFICATE-----"`);
  if (blocks.length < begun) throw refused(`must be whole; a certificate in ${where} has no end`);
  return blocks.map((block, position) => [
    fingerprintOf(block, `certificate ${position + 1} in ${where}`),
    block,
  ]);
}

function fingerprintOf(pem: string, which: string): string {
  try {
    return new X509Certificate(pem).fingerprint256;
  } catch (cause) {
    throw refused(`must hold X.509 certificates; ${which} can't be parsed`, cause);
  }
}

/** A context that is given certificates trusts no others, so the default ones are given to it as well. */
async function defaultRoots(tls: typeof import('node:tls')): Promise<readonly string[]> {
  // Node 22.15 and later tell what they trust, the system's and NODE_EXTRA_CA_CERTS included.
  const tell: unknown = Reflect.get(tls, 'getCACertificates');
  if (typeof tell === 'function') return Reflect.apply(tell, tls, ['default']);
  const extra = process.env['NODE_EXTRA_CA_CERTS'];
  if (extra === undefined || extra === '') return tls.rootCertificates;
  const { readFile } = await import('node:fs/promises');
  // Node itself goes on without a file that it can't read, and has warned of it.
  const file = await readFile(extra, 'latin1').catch(() => '');
  return [...tls.rootCertificates, file];
}

function refused(problem: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError('ca', problem, cause === undefined ? {} : { cause });
}
