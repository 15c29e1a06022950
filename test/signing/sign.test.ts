import { createHash, createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/local.js';
import { explainSignature, type SignableRequest, signRequest } from '../../src/signing/sign.js';
import { createSigner, signedPathOf } from '../../src/signing/signer.js';

const credentials = { clientId: 'cli_1', keyId: 'key_1', signingSecret: 'a secret with spaces' };
const request: SignableRequest = {
  method: 'POST',
  path: '/api/v1/lots/lot_1/bids',
  body: '{"amount":"465000","name":"टाटा"}',
  timestamp: 1_767_230_600,
  nonce: 'nonce-0123456789_ABC',
};

describe('signRequest', () => {
  // rule: convention.1, header.client-id
  it('gives the six headers, as computed by hand', () => {
    const digest = createHash('sha256').update(String(request.body)).digest('hex');
    const lines = ['POST', request.path, 'a=1&b=2', '1767230600', request.nonce, digest];
    const signature = createHmac('sha256', credentials.signingSecret).update(lines.join('\n')).digest('hex');
    expect(signRequest({ ...request, ...credentials, query: { b: 2, a: 1 } })).toEqual({
      canonicalQuery: 'a=1&b=2',
      headers: {
        'X-Client-ID': 'cli_1',
        'X-Key-ID': 'key_1',
        'X-Timestamp': '1767230600',
        'X-Nonce': request.nonce,
        'X-Content-SHA256': digest,
        'X-Signature': signature,
      },
    });
  });

  // rule: convention.1, header.content-sha256
  it('hashes no bytes where there is no body', () => {
    const { path, timestamp, nonce } = request;
    const { bodySha256 } = explainSignature({ method: 'GET', path, timestamp, nonce, signingSecret: 'x' });
    expect(bodySha256).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('takes text for its UTF-8 bytes, and signs the method in upper case', () => {
    const bytes = { ...request, ...credentials, body: Buffer.from(String(request.body)), method: 'post' };
    expect(signRequest(bytes)).toEqual(signRequest({ ...request, ...credentials }));
  });

  // rule: header.nonce, limit.nonce
  it.each([16, 128])('takes a nonce of %i characters', (length) => {
    const nonce = 'n'.repeat(length);
    expect(signRequest({ ...request, ...credentials, nonce }).headers['X-Nonce']).toBe(nonce);
  });

  it('names everything that is wrong at once', () => {
    const attempt = () => signRequest({ ...credentials, method: '', path: '', timestamp: '', nonce: '' });
    expect(attempt).toThrow(/method .*; path .*; timestamp .*; nonce /);
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
  ])('refuses a secret that is %s, without showing it', (_, signingSecret) => {
    const wrong = { ...credentials };
    Object.assign(wrong, { signingSecret });
    for (const [attempt, option] of [
      [() => signRequest({ ...request, ...wrong }), 'signingSecret'],
      [() => createSigner(wrong), 'credentials.signingSecret'],
    ] as const) {
      const error = errorOf(attempt);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toHaveProperty('option', option);
      expect(`${inspect(error, { showHidden: true, depth: null })}${JSON.stringify(error)}`).not.toContain(
        seen,
      );
    }
  });

  it('shows no secret in errors about the request', () => {
    const wrong = { ...credentials, signingSecret: seen, nonce: 'short' };
    expect(
      inspect(
        errorOf(() => signRequest({ ...request, ...wrong })),
        { showHidden: true },
      ),
    ).not.toContain(seen);
  });

  // rule: header.client-id, header.key-id
  it.each<[string, unknown]>([
    ['empty', ''],
    ['no string', 5],
    ['with a space', 'a b'],
    ['with a line feed', 'a\n'],
    ['beyond ASCII', 'é'],
  ])('refuses an id that is %s', (_, id) => {
    for (const name of ['clientId', 'keyId']) {
      const wrong = { ...credentials };
      Object.assign(wrong, { [name]: id });
      expect(() => signRequest({ ...request, ...wrong })).toThrow(expect.objectContaining({ option: name }));
      expect(() => createSigner(wrong)).toThrow(expect.objectContaining({ option: `credentials.${name}` }));
    }
  });
});

describe('explainSignature', () => {
  it('takes the secret as it is, so that a suspicion can be tried', () => {
    const plain = explainSignature({ ...request, signingSecret: 'x' });
    const newline = explainSignature({ ...request, signingSecret: 'x\n' });
    expect(newline.canonicalString).toBe(plain.canonicalString);
    expect(newline.signature).not.toBe(plain.signature);
  });
});

describe('createSigner', () => {
  it('shows its secret nowhere', () => {
    const signer = createSigner(credentials);
    const text =
      inspect(signer, { showHidden: true, depth: null }) + JSON.stringify(signer) + String(signer.sign);
    expect(text).not.toContain(credentials.signingSecret);
  });
});

describe('signedPathOf', () => {
  it.each([
    ['/api/v1/events', '/api/v1/events'],
    ['/index.php/api/v1/events', '/api/v1/events'],
    ['/a/b/api/v1/lots/lot_1', '/api/v1/lots/lot_1'],
    ['/api/v1', '/api/v1'],
    ['/api/v1/', '/api/v1/'],
    ['/api/v10/events', undefined],
    ['/myapi/v1/events', undefined],
    ['/events', undefined],
    ['', undefined],
  ])('%s: %s', (path, signed) => {
    expect(signedPathOf(path)).toBe(signed);
  });
});

function errorOf(attempt: () => unknown): unknown {
  try {
    attempt();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}
