import { createHash, createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/local.js';
import { explainSignature, signRequest } from '../../src/signing/sign.js';
import { createSigner, signedPathOf } from '../../src/signing/signer.js';
import { thrownBy } from '../support/clients.js';

const request = { method: 'GET', path: '/api/v1/lots', timestamp: 1_767_230_600, nonce: 'nonce-0123456789' };
const credentials = { clientId: 'cl_7f3a', keyId: 'key_19c2', signingSecret: 'sandbox-secret' };
const { signingSecret, ...ids } = credentials;
const must = expect.stringMatching(/^must \w/);

const sign = (changes: object) => () =>
  Reflect.apply(signRequest, undefined, [{ ...request, ...credentials, ...changes }]);
const signerOf = (given: object) => () => Reflect.apply(createSigner, undefined, [given]);

function expectRefused(make: () => unknown, option: string, hidden = signingSecret): void {
  const error = thrownBy(make);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ option, problem: expect.stringMatching(/^\w/) });
  expect(inspect(error, { showHidden: true, depth: null }) + JSON.stringify(error)).not.toContain(hidden);
}

const rows = (field: string, values: readonly unknown[]) =>
  values.map((value): [string, unknown] => [field, value]);

// rule: header.nonce, limit.nonce
it.each<[string, unknown]>([
  ...rows('method', [7, 'GET ', 'GET\n', '', 'GE T', '1GET', 'GET1']),
  ...rows('path', [
    7,
    '',
    '/api/v1/events\n',
    'api/v1/lots',
    '/index.php/api/v1/lots',
    '/api/v10/lots',
    '/other',
  ]),
  ...rows('path', ['/api/v1/lots?page=2', '/api/v1/lots#top', '/api/v1/a b']),
  ...rows('timestamp', [1.5, -1, '1767230600000', 'now', 1_767_230_600_000, Number.NaN]),
  ...rows('nonce', [7, 'n'.repeat(15), 'n'.repeat(129), 'nonce 0123456789 ABC', 'nonce-0123456789_ABC\n']),
  ...rows('nonce', ['é'.repeat(20)]),
  ...rows('body', [7, { amount: '465000' }]),
])('A request with the %s %j is not signed', (path, value) => {
  const error = { name: 'InvalidRequestError', issues: [{ path, message: must }] };
  expect(sign({ [path]: value })).toThrow(expect.objectContaining(error));
});

it('Everything that is wrong with a request is named at once, and no secret', () => {
  const attempt = sign({ method: '', path: '', timestamp: '', nonce: '' });
  expect(attempt).toThrow(/method .*; path .*; timestamp .*; nonce /);
  expect(attempt).not.toThrow(signingSecret);
});

// rule: header.nonce, limit.nonce
it.each([{ path: '/api/v1' }, { nonce: 'n'.repeat(16) }, { nonce: 'n'.repeat(128) }])(
  '%o is signed',
  (given) => {
    expect(sign(given)).not.toThrow();
  },
);

// rule: convention.1, header.content-sha256
it('No body is signed as no bytes, text as its UTF-8 bytes, a method in upper case', () => {
  const none = createHash('sha256').digest('hex');
  expect(explainSignature({ ...request, signingSecret }).bodySha256).toBe(none);
  const body = '{"amount":"465000","name":"टाटा"}';
  expect(sign({ body, method: 'post' })()).toEqual(sign({ body: Buffer.from(body), method: 'POST' })());
});

const seen = 'never_to_be_seen';

it.each<[string, unknown]>([
  ['empty', ''],
  ['blank', ' \t\n'],
  ['with a newline at its end', `${seen}\n`],
  ['with a space before it', ` ${seen}`],
  ['with a newline inside', `${seen}\n${seen}`],
  ['with a control character', `${seen}\u0000x`],
  ['with a lone surrogate', `${seen}\ud800`],
  ['bytes', Buffer.from(seen)],
  ['undefined', undefined],
  ['a number', 5],
])('A secret that is %s is refused, without being shown', (_, secret) => {
  expectRefused(sign({ signingSecret: secret }), 'signingSecret', seen);
  expectRefused(signerOf({ ...credentials, signingSecret: secret }), 'credentials.signingSecret', seen);
});

// rule: header.client-id, header.key-id
it.each(['', 5, 'a b', 'a\n', 'é', undefined])('The id %j is refused', (id) => {
  for (const name of ['clientId', 'keyId']) {
    expectRefused(sign({ [name]: id }), name);
    expectRefused(signerOf({ ...credentials, [name]: id }), `credentials.${name}`);
  }
});

it.each<[string, object, string]>([
  ['a secret and a remote signer', { ...credentials, sign: () => '' }, 'credentials'],
  ['a remote signer that is no function', { ...ids, sign: 'kms' }, 'credentials.sign'],
  ['neither', ids, 'credentials.signingSecret'],
  ['an absent remote signer and no secret', { ...ids, sign: undefined }, 'credentials.signingSecret'],
])('Credentials with %s make no signer', (_, given, option) => {
  expectRefused(signerOf(given), option);
});

it('The secret is explained as it is, so that a suspicion can be tried', () => {
  const plain = explainSignature({ ...request, signingSecret: 'x' });
  const newline = explainSignature({ ...request, signingSecret: 'x\n' });
  expect(newline.canonicalString).toBe(plain.canonicalString);
  expect(newline.signature).not.toBe(plain.signature);
});

it.each(['', undefined, 7])('The secret %j explains nothing', (secret) => {
  const explain = () => Reflect.apply(explainSignature, undefined, [{ ...request, signingSecret: secret }]);
  expectRefused(explain, 'signingSecret');
});

const attempt = { ...request, canonicalQuery: '', bodySha256: 'e3b0'.padEnd(64, '0') };

it('A signer shows its secret nowhere, and uses it where the remote part is absent', () => {
  const signer = createSigner(credentials);
  const text =
    inspect(signer, { showHidden: true, depth: null }) + JSON.stringify(signer) + String(signer.sign);
  expect(text).not.toContain(signingSecret);
  expect(signerOf({ ...credentials, sign: undefined })().sign(attempt)).toEqual(signer.sign(attempt));
});

it('A remote signer gets the canonical request, and its digits become the signature', async () => {
  const given: string[] = [];
  const signer = createSigner({
    ...{ ...ids, signingSecret: undefined },
    sign: (canonical) => {
      given.push(canonical);
      return createHmac('sha256', signingSecret).update(canonical).digest('hex');
    },
  });
  expect(await signer.sign(attempt)).toEqual(createSigner(credentials).sign(attempt));
  expect(signer).toMatchObject(ids);
  expect(given).toEqual([expect.stringContaining(request.nonce)]);
});

it.each([undefined, 7, '', 'ab'.repeat(31), 'AB'.repeat(32), 'ab'.repeat(33), ` ${'ab'.repeat(32)}`])(
  'The remote signature %j is not sent',
  async (signature) => {
    const signer = signerOf({ ...ids, sign: () => signature })();
    await expect(signer.sign(attempt)).rejects.toThrow(/credentials\.sign/);
  },
);

it.each([
  ['/api/v1/events', '/api/v1/events'],
  ['/a/index.php/api/v1/lots/lot_1', '/api/v1/lots/lot_1'],
  ['/api/v1', '/api/v1'],
  ['/api/v1/', '/api/v1/'],
  ['/api/v10/events', undefined],
  ['/myapi/v1/events', undefined],
  ['', undefined],
])('Of the path %s the part %s is signed', (path, signed) => {
  expect(signedPathOf(path)).toBe(signed);
});
