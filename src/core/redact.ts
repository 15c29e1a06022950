import { inspect } from 'node:util';

/** Tells whether a text shows a secret, in any of the ways that text can. */
export type Leaks = (text: string) => boolean;

/** A test for one secret: as it is, in base64, in hex, URL-encoded, escaped as JSON, as bytes. */
export function leaksOf(secret: string): Leaks {
  const bytes = Buffer.from(secret, 'utf8');
  const forms = [
    secret,
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    // How buffers and byte arrays are printed; they may be cut off, so their beginning is looked for.
    [...bytes.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
    bytes.subarray(0, 8).join(', '),
  ];
  return (text) =>
    forms.some((form) => text.includes(form)) || text.toLowerCase().includes(bytes.toString('hex'));
}

/**
 * A cause that may be shown. One that shows a secret or a signature anywhere inside (an injected transport that
 * prints its headers, say) is replaced by its name.
 */
export function safeCause(cause: unknown, leaks: Leaks): unknown {
  if (cause === undefined) return undefined;
  const shown = inspect(cause, {
    depth: 8,
    showHidden: true,
    maxStringLength: null,
    maxArrayLength: null,
    breakLength: Number.POSITIVE_INFINITY,
  });
  if (!leaks(shown)) return cause;
  const name = cause instanceof Error && !leaks(cause.name) ? cause.name : 'Error';
  return new Error(`${name}: withheld, because it shows a signature or a signing secret`);
}
