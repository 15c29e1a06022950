import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { ConfigurationError, InvalidRequestError } from '../../src/errors/local.js';
import { canonicalQuery } from '../../src/signing/query.js';
import { explainSignature, signRequest } from '../../src/signing/sign.js';
import { createSigner } from '../../src/signing/signer.js';

const signable = { method: 'GET', path: '/api/v1/lots', timestamp: 1_767_230_600, nonce: 'nonce-0123456789' };
const credentials = { clientId: 'cl_7f3a', keyId: 'key_19c2', signingSecret: 'sandbox-secret' };
const must = expect.stringMatching(/^must \w/);

const sign = (changes: object) => () =>
  Reflect.apply(signRequest, undefined, [{ ...signable, ...credentials, ...changes }]);

// rule: header.nonce
it.each<[string, unknown]>([
  ['method', 7],
  ['method', 'GET '],
  ['method', 'GET\n'],
  ['method', ''],
  ['method', 'GE T'],
  ['method', '1GET'],
  ['method', 'GET1'],
  ['path', 7],
  ['path', ''],
  ['path', '/api/v1/events\n'],
  ['path', 'api/v1/lots'],
  ['path', '/index.php/api/v1/lots'],
  ['path', '/api/v10/lots'],
  ['path', '/other'],
  ['path', '/api/v1/lots?page=2'],
  ['path', '/api/v1/lots#top'],
  ['path', '/api/v1/a b'],
  ['timestamp', 1.5],
  ['timestamp', -1],
  ['timestamp', '1767230600000'],
  ['timestamp', 'now'],
  ['timestamp', 1_767_230_600_000],
  ['timestamp', Number.NaN],
  ['nonce', 7],
  ['nonce', 'n'.repeat(15)],
  ['nonce', 'n'.repeat(129)],
  ['nonce', 'nonce 0123456789 ABC'],
  ['nonce', 'nonce-0123456789_ABC\n'],
  ['nonce', 'é'.repeat(20)],
  ['body', 7],
  ['body', { amount: '465000' }],
])('a request with the %s %j is not signed', (path, value) => {
  expect(sign({ [path]: value })).toThrow(InvalidRequestError);
  expect(sign({ [path]: value })).toThrow(expect.objectContaining({ issues: [{ path, message: must }] }));
});

it.each(['/api/v1', '/api/v1/lots'])('the path %s is signed', (path) => {
  expect(sign({ path })).not.toThrow();
});

it.each(['', undefined, 7])('the secret %j explains nothing', (signingSecret) => {
  const explain = () => Reflect.apply(explainSignature, undefined, [{ ...signable, signingSecret }]);
  expect(explain).toThrow(ConfigurationError);
  expect(explain).toThrow(expect.objectContaining({ option: 'signingSecret', problem: must }));
});

it.each<[unknown, string]>([
  [null, 'query'],
  ['page=2', 'query'],
  [[7], 'query'],
  [['page=2'], 'query'],
  [[[7, 'x']], 'query'],
  [{ page: null }, 'query."page"'],
  [{ page: Number.NaN }, 'query."page"'],
  [{ page: {} }, 'query."page"'],
  [{ page: [1, Number.POSITIVE_INFINITY] }, 'query."page"'],
  [[['page', undefined]], 'query."page"'],
])('the query %j is not signed', (query, path) => {
  const write = () => Reflect.apply(canonicalQuery, undefined, [query]);
  expect(write).toThrow(InvalidRequestError);
  expect(write).toThrow(expect.objectContaining({ issues: [{ path, message: must }] }));
});

it('numbers, big integers and booleans of a query are written as text', () => {
  expect(canonicalQuery({ page: 2, id: 9_007_199_254_740_993n, live: true, none: undefined })).toBe(
    'id=9007199254740993&live=true&page=2',
  );
});

const attempt = { ...signable, canonicalQuery: '', bodySha256: 'e3b0'.padEnd(64, '0') };
const { signingSecret, ...ids } = credentials;

it('a remote signer gets the canonical request, and its digits become the signature', async () => {
  const seen: string[] = [];
  const signer = createSigner({
    ...ids,
    sign: (canonical) => {
      seen.push(canonical);
      return createHmac('sha256', signingSecret).update(canonical).digest('hex');
    },
  });
  const headers = await signer.sign(attempt);
  expect(headers).toEqual(createSigner(credentials).sign(attempt));
  expect(signer).toMatchObject(ids);
  expect(seen).toEqual([expect.stringContaining(signable.nonce)]);
});

it.each([undefined, 7, '', 'ab'.repeat(31), 'AB'.repeat(32), 'ab'.repeat(33), ` ${'ab'.repeat(32)}`])(
  'a remote signature %j is not sent',
  async (signature) => {
    const signer = Reflect.apply(createSigner, undefined, [{ ...ids, sign: () => signature }]);
    await expect(signer.sign(attempt)).rejects.toThrow(/credentials\.sign/);
  },
);

it.each<[string, object, string]>([
  ['a secret and a remote signer', { ...credentials, sign: () => '' }, 'credentials'],
  ['a remote signer that is no function', { ...ids, sign: 'kms' }, 'credentials.sign'],
  ['neither', ids, 'credentials.signingSecret'],
  ['an empty remote signer and no secret', { ...ids, sign: undefined }, 'credentials.signingSecret'],
  ['no client id', { ...credentials, clientId: undefined }, 'credentials.clientId'],
  ['a key id with a line break', { ...credentials, keyId: 'key\n' }, 'credentials.keyId'],
])('credentials with %s make no signer', (_, given, option) => {
  const make = () => Reflect.apply(createSigner, undefined, [given]);
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(expect.objectContaining({ option, problem: expect.stringMatching(/^\S/) }));
});

it('a signer with an absent remote part uses its secret', () => {
  const signer = Reflect.apply(createSigner, undefined, [{ ...credentials, sign: undefined }]);
  expect(signer.sign(attempt)).toEqual(createSigner(credentials).sign(attempt));
});
