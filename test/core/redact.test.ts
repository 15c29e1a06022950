import { expect, it } from 'vitest';
import { redactDeep, redactorOf } from '../../src/core/redact.js';

const secret = 's3cr/t"';
const signature = 'ab'.repeat(32);
const redact = redactorOf([secret, signature]);

it.each([
  ['in plain', secret],
  ['as JSON escapes it', JSON.stringify(secret).slice(1, -1)],
  ['URL-encoded', encodeURIComponent(secret)],
  ['in hex', Buffer.from(secret).toString('hex')],
  ['in hex of the other case', Buffer.from(secret).toString('hex').toUpperCase()],
  ['a signature', signature],
])('A secret is redacted %s, and the text around it stays', (_, form) => {
  expect(redact(`before ${form} after ${form}`)).toBe('before [redacted] after [redacted]');
});

it('A signature is redacted in the base64 of its bytes', () => {
  const text = Buffer.from(signature, 'hex').toString('base64url');
  expect(redact(`is ${text}`)).toMatch(/^is \[redacted\].?$/);
});

it.each(['', '?', '??', '???'])('A secret is redacted in the base64 of a longer text: after %j', (before) => {
  const text = Buffer.from(`${before}${secret} and more`).toString('base64');
  expect(redact(text)).toContain('[redacted]');
  expect(Buffer.from(redact(text).replace('[redacted]', ''), 'base64').toString()).not.toContain('s3cr');
});

it('A placeholder of a few letters hides nothing of what went wrong', () => {
  const text = 'getaddrinfo ENOTFOUND test.bank.example';
  expect(redactorOf(['test', 'x'])(text)).toBe(text);
  expect(redactorOf([])(text)).toBe(text);
});

it('Texts are redacted at any depth of a record, in names and values', () => {
  const record = { name: `a ${secret}`, list: [{ [secret]: 1n, none: null }] };
  expect(redactDeep(record, redact)).toEqual({
    name: 'a [redacted]',
    list: [{ '[redacted]': 1n, none: null }],
  });
});
