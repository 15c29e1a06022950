import type { Reply } from './replies.js';
import { isoInIndia } from './times.js';
import type { Variants } from './variants.js';

/** The bytes of a reply, and what they are. */
export interface Serialised {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** The same as a text, where it is JSON. */
  readonly json?: string;
}

export function serialised(reply: Reply, variants: Variants): Serialised {
  if ('bytes' in reply) return { body: reply.bytes, contentType: reply.contentType };
  if ('html' in reply) {
    return { body: Buffer.from(reply.html, 'utf8'), contentType: 'text/html; charset=utf-8' };
  }
  const json = jsonText(reply.json, variants['time-precision']);
  return { body: Buffer.from(json, 'utf8'), contentType: 'application/json', json };
}

/** What every reply announces (unknowns: `api-deprecation`): RFC 9745 and RFC 8594. */
export function announcements(variants: Variants): readonly (readonly [name: string, value: string])[] {
  if (variants['api-deprecation'] === 'none') return [];
  return [
    ['Deprecation', '@1798761600'],
    ['Sunset', 'Thu, 01 Jul 2027 00:00:00 GMT'],
  ];
}

/** With every moment in it written in one way (unknowns: `time-precision`), those that callers sent too. */
function jsonText(value: unknown, precision: Variants['time-precision']): string {
  if (precision === 'milliseconds') return JSON.stringify(value);
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string' ? rewritten(each, precision) : each,
  );
}

function rewritten(text: string, precision: 'seconds' | 'microseconds' | 'offset'): string {
  const [, second, fraction = '', zone] = moment.exec(text) ?? [];
  if (second === undefined || zone === undefined) return text;
  switch (precision) {
    case 'seconds':
      return second + zone;
    case 'microseconds':
      return `${second}.${fraction.padEnd(6, '0')}${zone}`;
    case 'offset':
      return zone === 'Z' ? isoInIndia(Math.floor(Date.parse(text) / 1_000) * 1_000) : second + zone;
  }
}

const moment = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)$/;
