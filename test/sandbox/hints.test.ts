import { createHash, createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { type Sent, send, sha256, signed } from './caller.js';
import { rawExchange } from './raw.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', prefix: '/index.php', startAt: 1_772_000_000_250 });
});
afterEach(() => sandbox.close());

const dealer = () => sandbox.credentials.dealer;
const secret = () => dealer().signingSecret;
const host = () => new URL(sandbox.baseUrl).host;
const lots = '/api/v1/events/auc_1/lots';
const one = '/api/v1/events/auc%5F1';
const batch = '/api/v1/lots/status-batch';
const nonce = 'the-nonce-of-this-test';
const spaced = '{ "lot_ids": ["a", "\u20b9/b"] }';

/** A signature over any text, in place of the one that would be sent. */
const over = (text: string, key: string | Buffer = secret(), hash = 'sha256') => ({
  sign: { nonce },
  headers: { 'X-Signature': createHmac(hash, key).update(text).digest('hex') },
});
/** The right six lines of a GET of the lots. */
const lines = () => ['GET', lots, '', '1772000000', nonce, sha256('')];
const rewritten = (as: (hex: string) => string) => ({
  path: lots,
  sign: { nonce },
  headers: { 'X-Signature': as(createHmac('sha256', secret()).update(lines().join('\n')).digest('hex')) },
});

const cases: [string, string, () => Sent][] = [
  // The path.
  [
    'the prefix is signed',
    'the front-controller prefix was signed: sign the path from /api/v1 on',
    () => ({ path: lots, sign: { path: `/index.php${lots}` } }),
  ],
  [
    'the path is relative',
    'the path was signed without /api/v1: sign the whole path, /api/v1 included',
    () => ({ path: lots, sign: { path: '/events/auc_1/lots' } }),
  ],
  ...['http://', 'https://', ''].flatMap((scheme): [string, string, () => Sent][] => [
    [
      `${scheme}host in the path`,
      'the host was signed with the path: sign the path alone, from /api/v1 on',
      () => ({ path: lots, sign: { path: `${scheme}${host()}${lots}` } }),
    ],
    [
      `${scheme}host, prefix and query in the path`,
      'the host was signed with the path: sign the path alone, from /api/v1 on',
      () => ({ path: lots, query: 'page=1', sign: { path: `${scheme}${host()}/index.php${lots}?page=1` } }),
    ],
  ]),
  [
    'the query in the path',
    'the query was signed as part of the path: the path is the second line, the query the third',
    () => ({ path: lots, query: 'page=1', sign: { path: `${lots}?page=1`, query: '' } }),
  ],
  [
    'the query in the path, and as a line',
    'the query was signed as part of the path: the path is the second line, the query the third',
    () => ({ path: lots, query: 'page=1', sign: { path: `${lots}?page=1` } }),
  ],
  [
    'a slash at the end of the path',
    'the path was signed with a slash at its end: sign it exactly as it is sent',
    () => ({ path: lots, sign: { path: `${lots}/` } }),
  ],
  [
    'a decoded path',
    'the path was signed decoded: sign it as it is sent, percent escapes included',
    () => ({ path: one, sign: { path: '/api/v1/events/auc_1' } }),
  ],
  [
    'a path encoded twice',
    'the path was signed percent-encoded once more: sign it exactly as it is sent',
    () => ({ path: one, sign: { path: '/api/v1/events/auc%255F1' } }),
  ],
  // The method.
  [
    'another method',
    'wrong effective method: GET was signed instead of POST',
    () => ({ path: batch, body: spaced, sign: { method: 'GET' } }),
  ],
  [
    'POST for a tunnelled PATCH',
    'wrong effective method: POST was signed instead of PATCH',
    () => ({
      path: '/api/v1/bank/inventory/vehicles/1',
      body: { _method: 'PATCH' },
      sign: { method: 'POST' },
    }),
  ],
  [
    'a method in lower case',
    'the method was signed in lower case: sign it in upper case',
    () => ({ path: lots, sign: { method: 'get' } }),
  ],
  // The query.
  [
    'unsorted, and sent so',
    'an unsorted query was signed: sort the parameters by name',
    () => ({ path: lots, query: 'search=a&page=1' }),
  ],
  [
    'unsorted, and encoded otherwise',
    'the query was signed as sent: sort it by name and percent-encode it per RFC 3986, then sign that',
    () => ({ path: lots, query: 'search=a%2fb&page=1' }),
  ],
  [
    '+ signed and sent',
    '`+` was signed for a space: write it as %20',
    () => ({ path: lots, query: 'search=a+b' }),
  ],
  [
    '+ signed, %20 sent',
    '`+` was signed for a space: write it as %20',
    () => ({ path: lots, query: 'search=a%20b', sign: { query: 'search=a+b' } }),
  ],
  [
    'the query left out',
    'the query was left out of the signature: sign it as the third line',
    () => ({ path: lots, query: 'page=1', sign: { query: '' } }),
  ],
  [
    'with its question mark',
    'the query was signed with its question mark: sign it without',
    () => ({ path: lots, query: 'page=1', sign: { query: '?page=1' } }),
  ],
  [
    'escapes in lower case',
    'the query was signed with lower-case percent escapes: write them in upper case, such as %2F',
    () => ({ path: lots, query: 'search=a%2Fb', sign: { query: 'search=a%2fb' } }),
  ],
  [
    'not encoded',
    'the query was signed without percent-encoding: encode names and values per RFC 3986, then sign that',
    () => ({ path: lots, query: 'search=a%2Fb', sign: { query: 'search=a/b' } }),
  ],
  [
    'encoded twice',
    'the query was percent-encoded twice before it was signed: encode it once',
    () => ({ path: lots, query: 'search=a%2Fb', sign: { query: 'search=a%252Fb' } }),
  ],
  [
    'encodeURIComponent()',
    "the query was signed with ! ' ( ) * unescaped: RFC 3986 escapes them, encodeURIComponent() doesn't",
    () => ({ path: lots, query: 'search=%28a%2Fb%29', sign: { query: 'search=(a%2Fb)' } }),
  ],
  // The body.
  ...[
    '{"lot_ids":["a","\u20b9/b"]}',
    '{"lot_ids": ["a", "\\u20b9/b"]}',
    '{"lot_ids":["a","\u20b9\\/b"]}',
  ].map((text): [string, string, () => Sent] => [
    `re-serialised as ${text}`,
    'the body was re-serialised after signing: hash the very bytes that are sent',
    () => ({ path: batch, body: spaced, sign: { digest: sha256(text) } }),
  ]),
  [
    'pretty-printed',
    'the body was re-serialised after signing: hash the very bytes that are sent',
    () => ({
      path: batch,
      body: '{"lot_ids":["a"]}',
      sign: { digest: sha256(JSON.stringify({ lot_ids: ['a'] }, null, 2)) },
    }),
  ],
  [
    'other line ends',
    'the body was hashed with other line ends or white space than it was sent with: hash the very bytes that are sent',
    () => ({ path: batch, body: '{\r\n"lot_ids":["a"]}', sign: { digest: sha256('{\n"lot_ids":["a"]}') } }),
  ],
  [
    'another encoding',
    'the body was hashed in another encoding: hash its UTF-8 bytes, as they are sent',
    () => ({
      path: batch,
      body: '{"a":"\u00e9"}',
      sign: { digest: sha256(Buffer.from('{"a":"\u00e9"}', 'latin1')) },
    }),
  ],
  [
    'the digest of nothing',
    'the digest of an empty body was signed: hash the very bytes that are sent',
    () => ({ path: batch, body: spaced, sign: { digest: sha256('') } }),
  ],
  [
    'no digest',
    'no digest was signed: the last line is the SHA-256 of the body, of an empty one too',
    () => ({ path: lots, sign: { digest: '' } }),
  ],
  [
    'the body in its place',
    'the body was signed in place of its digest: the last line is its SHA-256 in lower-case hex',
    () => ({ path: batch, body: '{"a":1}', sign: { digest: '{"a":1}' } }),
  ],
  [
    'a digest in upper case',
    'the body digest was signed in upper-case hex: write it in lower case',
    () => ({ path: lots, sign: { digest: sha256('').toUpperCase() } }),
  ],
  [
    'a digest in base64',
    'the body digest was signed as base64: write it in lower-case hex',
    () => ({ path: lots, sign: { digest: createHash('sha256').digest('base64') } }),
  ],
  [
    'another digest',
    'wrong body digest: X-Content-SHA256 is not the digest of the bytes that arrived; hash the very bytes that are sent',
    () => ({ path: batch, body: spaced, sign: { digest: sha256('other') } }),
  ],
  [
    'another digest in the header only',
    'X-Content-SHA256 is missing, not lower-case hex, or not the digest of the body sent: send the digest that is signed',
    () => ({ path: batch, body: spaced, headers: { 'X-Content-SHA256': sha256('other') } }),
  ],
  // The secret.
  ...['SECRET\n', 'SECRET\r\n', 'SECRET ', ' SECRET', '\ufeffSECRET'].map(
    (as): [string, string, () => Sent] => [
      `the secret as ${JSON.stringify(as)}`,
      'the signing secret was used with a space, newline or byte order mark around it: trim what is read from a file or the environment',
      () => ({ path: lots, sign: { secret: as.replace('SECRET', secret()) } }),
    ],
  ),
  [
    'a quoted secret',
    'the signing secret was used with the quotes around it: remove them',
    () => ({ path: lots, sign: { secret: `"${secret()}"` } }),
  ],
  [
    'a secret decoded as base64',
    'the signing secret was decoded as base64: use the string as it is',
    () => ({ path: lots, sign: { secret: Buffer.from(secret(), 'base64') } }),
  ],
  [
    'a secret decoded as hex',
    'the signing secret was decoded as hex: use the string as it is',
    () => ({ path: lots, sign: { secret: Buffer.from(secret(), 'hex') } }),
  ],
  [
    'the key ID for the secret',
    'the key ID was used as the secret: sign with the signing secret',
    () => ({ path: lots, sign: { secret: dealer().keyId } }),
  ],
  [
    'the secret of somebody else',
    'the secret of client_sbx_platform (key_sbx_platform_1) was used: use the one that goes with the key ID sent',
    () => ({ path: lots, sign: { secret: sandbox.credentials.platform.signingSecret } }),
  ],
  // The text.
  ...['\n', '\r\n'].map((end): [string, string, () => Sent] => [
    `${JSON.stringify(end)} after the lines`,
    'the canonical string was signed with a trailing newline: nothing follows the sixth line',
    () => ({ path: lots, sign: { suffix: end } }),
  ]),
  ...['\r\n', '\\n', ''].map((joint): [string, string, () => Sent] => [
    `joined with ${JSON.stringify(joint)}`,
    'the six lines were not joined with line feeds: join them with line feeds',
    () => ({ path: lots, ...over(lines().join(joint)) }),
  ]),
  [
    'five lines',
    'the empty line of the query was left out: there are six lines, the third one empty without a query',
    () => ({
      path: lots,
      ...over(
        lines()
          .filter((line) => line !== '')
          .join('\n'),
      ),
    }),
  ],
  [
    'the nonce before the timestamp',
    'nonce and timestamp were signed in the wrong order: the timestamp is the fourth line, the nonce the fifth',
    () => ({ path: lots, ...over(['GET', lots, '', nonce, '1772000000', sha256('')].join('\n')) }),
  ],
  ...['sha1', 'sha512'].map((hash): [string, string, () => Sent] => [
    hash,
    'it was signed with another hash: use HMAC-SHA256',
    () => ({ path: lots, ...over(lines().join('\n'), secret(), hash) }),
  ]),
  // The header.
  [
    'upper-case hex',
    'X-Signature is in upper-case hex: send lower-case hex',
    () => rewritten((hex) => hex.toUpperCase()),
  ],
  [
    'base64',
    'X-Signature is base64: send lower-case hex',
    () => rewritten((hex) => Buffer.from(hex, 'hex').toString('base64')),
  ],
  [
    'base64url',
    'X-Signature is base64: send lower-case hex',
    () => rewritten((hex) => Buffer.from(hex, 'hex').toString('base64url')),
  ],
  ['v1=', 'X-Signature begins with "v1=": send the hex alone', () => rewritten((hex) => `v1=${hex}`)],
  [
    'none',
    'X-Signature is missing or was sent more than once: send it once',
    () => ({ path: lots, headers: { 'X-Signature': undefined } }),
  ],
];

describe('an invalid signature is explained', () => {
  // rule: canonical.bytes, code.signature
  test.each(cases)('%s', async (_, hint, make) => {
    const reply = await send(sandbox, dealer(), make());
    expect([reply.status, reply.json.code]).toEqual([401, 'INVALID_SIGNATURE']);
    expect(reply.headers.get('x-sandbox-hint')).toBe(hint);
    expect(reply.json.message).toBe(`The signature does not match: ${hint}.`);
    expect(sandbox.attempts()[0]).toMatchObject({ signature: 'invalid', hint });
    expect(sandbox.ledger()).toEqual([]);
  });

  test('every hint says what to do, and each is met here once at least', () => {
    for (const [, hint] of cases) expect(hint).toMatch(/^[^:]+(?:: .+|instead of [A-Z]+)$/s);
  });

  test('neither the secret nor the right signature is told', async () => {
    for (const [, , make] of cases) {
      const sent = make();
      const { headers } = signed(sandbox, dealer(), { ...sent, sign: { nonce }, headers: {} });
      const right = headers.find(([name]) => name === 'X-Signature')?.[1] ?? '';
      expect(right).toHaveLength(64);
      const reply = await send(sandbox, dealer(), { ...sent, sign: { ...sent.sign, nonce } });
      const told = `${reply.text}${JSON.stringify([...reply.headers])}${JSON.stringify(sandbox.attempts().at(-1))}`;
      for (const kept of [secret(), right, sandbox.credentials.platform.signingSecret]) {
        expect(told).not.toContain(kept);
      }
    }
  });

  test('no hint where nothing usual explains it; the canonical string is always shown', async () => {
    const reply = await send(sandbox, dealer(), {
      path: lots,
      query: 'b=%C3%A9&a=1',
      sign: { secret: 'nothing', nonce: 'nonce-nonce-nonce', timestamp: '1772000000' },
    });
    expect(reply.headers.get('x-sandbox-hint')).toBeNull();
    expect(reply.json.message).toBe('The signature does not match.');
    const shown: unknown = JSON.parse(reply.headers.get('x-sandbox-canonical') ?? '');
    expect(shown).toBe(`GET\n${lots}\na=1&b=%C3%A9\n1772000000\nnonce-nonce-nonce\n${sha256('')}`);
  });

  test('over a real socket the host is that of the request', async () => {
    const path = `http://auctions.example:8080${lots}`;
    const { headers } = signed(sandbox, dealer(), { path: lots, sign: { path } });
    const head = [
      `GET /index.php${lots} HTTP/1.1`,
      'Host: auctions.example:8080',
      'Connection: close',
      ...headers.map((pair) => pair.join(': ')),
    ];
    expect(await rawExchange(sandbox, `${head.join('\r\n')}\r\n\r\n`)).toMatch(
      /x-sandbox-hint: the host was signed with the path/i,
    );
  });
});

describe('a refused timestamp is explained', () => {
  const refused: [string, string | undefined, string][] = [
    ['milliseconds', '1772000000250', 'X-Timestamp is in milliseconds: sign and send Unix seconds'],
    ['missing', undefined, 'X-Timestamp is missing or was sent more than once: send it once'],
    ['a date', '2026-02-25T06:13:20Z', 'X-Timestamp is not plain digits: send Unix seconds'],
    ['a fraction', '1772000000.25', 'X-Timestamp is not plain digits: send Unix seconds'],
    ['padded', '01772000000', 'X-Timestamp has a leading zero: send Unix seconds as they are'],
    [
      'an hour late',
      '1771996400',
      'X-Timestamp is 3600 seconds behind the service: set the clock right, and sign just before sending',
    ],
    [
      '301 seconds early',
      '1772000302',
      'X-Timestamp is 302 seconds ahead of the service: set the clock right, and sign just before sending',
    ],
  ];
  test.each(refused)('%s', async (_, timestamp, hint) => {
    const reply = await send(sandbox, dealer(), { path: lots, headers: { 'X-Timestamp': timestamp } });
    expect([reply.status, reply.json.code]).toEqual([401, 'TIMESTAMP_EXPIRED']);
    expect(reply.headers.get('x-sandbox-hint')).toBe(hint);
    expect(reply.json.message).toBe(`The timestamp is not current: ${hint}.`);
    expect(sandbox.attempts()[0]).toMatchObject({ signature: 'unchecked', hint, canonical: null });
  });
});
