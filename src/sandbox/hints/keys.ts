import { sha256Hex } from '../canonical.js';
import type { Case, Hypothesis } from './hypothesis.js';

/** Mistakes with the secret. */
export function* ofSecret({ request, secret }: Case): Generator<Hypothesis> {
  for (const [end, name] of [
    ['\n', 'newline'],
    ['\r\n', 'carriage return and newline'],
    [' ', 'space'],
  ] as const) {
    yield {
      hint: `the signing secret was used with a trailing ${name}: trim what is read from a file or the environment`,
      key: secret + end,
    };
  }
  yield { hint: 'the signing secret was used with a space before it: remove it', key: ` ${secret}` };
  for (const quote of ['"', "'"]) {
    yield {
      hint: 'the signing secret was used with the quotes around it: remove them',
      key: `${quote}${secret}${quote}`,
    };
  }
  yield { hint: 'the signing secret was used with a byte order mark: remove it', key: `\ufeff${secret}` };
  yield { hint: 'the signing secret was trimmed: use it as it was issued', key: secret.trim() };
  for (const encoding of ['base64', 'hex'] as const) {
    const hint = `the signing secret was decoded as ${encoding}: use the string as it is`;
    yield { hint, key: Buffer.from(secret, encoding) };
  }
  yield {
    hint: 'the signing secret was encoded as base64: use the string as it is',
    key: Buffer.from(secret, 'utf8').toString('base64'),
  };
  yield {
    hint: 'the signing secret was encoded as hex: use the string as it is',
    key: Buffer.from(secret, 'utf8').toString('hex'),
  };
  yield {
    hint: 'the signing secret was hashed before it was used: use the string as it is',
    key: sha256Hex(secret),
  };
  yield { hint: 'the key ID was used as the secret: sign with the signing secret', key: request.keyId ?? '' };
  for (const { whose, signingSecret } of request.otherSecrets?.() ?? []) {
    yield {
      hint: `the secret of ${whose} was used: use the one that goes with the key ID sent`,
      key: signingSecret,
    };
  }
}
