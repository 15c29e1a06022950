import { inspect } from 'node:util';

/** Every way in which a secret could stand in a text. */
export function formsOf(secret: string) {
  const base64 = Buffer.from(secret).toString('base64');
  return {
    plain: secret,
    base64,
    'base64 without padding': base64.replace(/=+$/, ''),
    base64url: Buffer.from(secret).toString('base64url'),
    hex: Buffer.from(secret).toString('hex'),
    'URL-encoded': encodeURIComponent(secret),
    'as JSON escapes it': JSON.stringify(secret).slice(1, -1),
  };
}

/** All that a value can be made to show of itself. */
export function shownBy(value: unknown): string {
  const shown = [
    inspect(value, { showHidden: true, depth: 20, getters: true, maxStringLength: null }),
    inspect(value, { showHidden: true, depth: 20, customInspect: false, maxStringLength: null }),
    JSON.stringify(value) ?? '',
    String(value),
  ];
  try {
    shown.push(inspect(structuredClone(value), { showHidden: true, depth: 20 }));
  } catch (error) {
    shown.push(String(error));
  }
  if (value instanceof Error)
    shown.push(value.stack ?? '', value.cause === undefined ? '' : shownBy(value.cause));
  return shown.join('\n');
}
