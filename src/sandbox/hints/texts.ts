import { canonicalString } from '../canonical.js';
import type { Case, Hypothesis } from './hypothesis.js';

/** Mistakes in how the six lines are put together and signed. */
export function* ofText({ parts, secret }: Case): Generator<Hypothesis> {
  const canonical = canonicalString(parts);
  const { method, path, query, timestamp, nonce, bodySha256 } = parts;
  for (const [end, name] of [
    ['\n', 'newline'],
    ['\r\n', 'carriage return and newline'],
    [' ', 'space'],
  ] as const) {
    yield {
      hint: `the canonical string was signed with a trailing ${name}: nothing stands behind the sixth line`,
      text: canonical + end,
    };
  }
  for (const [joint, name] of [
    ['\r\n', 'carriage returns and newlines'],
    ['\\n', 'backslashes and the letter n'],
    ['', 'nothing'],
    [' ', 'spaces'],
    ['|', 'bars'],
    ['&', 'ampersands'],
  ] as const) {
    yield {
      hint: `the six lines were joined with ${name}: join them with line feeds`,
      text: canonical.replaceAll('\n', joint),
    };
  }
  if (query === '') {
    yield {
      hint: 'the empty line of the query was left out: there are six lines, the third one empty without a query',
      text: [method, path, timestamp, nonce, bodySha256].join('\n'),
    };
  }
  yield {
    hint: 'nonce and timestamp were signed in the wrong order: the timestamp is the fourth line, the nonce the fifth',
    change: { timestamp: nonce, nonce: timestamp },
  };
  yield {
    hint: 'the body digest was signed before the timestamp: it is the sixth line',
    text: [method, path, query, bodySha256, timestamp, nonce].join('\n'),
  };
  yield { hint: 'secret and text were swapped: the secret is the key', text: secret, key: canonical };
  for (const hash of ['sha1', 'sha512'] as const) {
    yield { hint: `it was signed with HMAC-${hash.toUpperCase()}: use HMAC-SHA256`, text: canonical, hash };
  }
  for (let ms = 0; ms < 1_000; ms += 1) {
    yield {
      hint: 'the timestamp was signed in milliseconds: sign and send Unix seconds',
      change: { timestamp: String(Number(timestamp) * 1_000 + ms) },
    };
  }
}
