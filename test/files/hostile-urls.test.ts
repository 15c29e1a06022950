import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bank, dealer, rejection, SECRET } from '../support/clients.js';
import { shownBy } from '../support/secrecy.js';

const MEDIA = '/api/v1/events/auc_1/lots/lot_1/media/901';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const PASSWORD = 'hunter2-of-the-url';
const ROOT = 'http://127.0.0.1:8080';
const GOOD = ROOT + MEDIA;
const ELSEWHERE = `http://127.0.0.1:9090${MEDIA}`;
const refused = { name: 'InvalidRequestError', operation: 'media.download', outcome: 'not_sent' };
const photo = { status: 200, text: 'photo' };

/** `media.download` as plain JavaScript calls it. */
function download(client: { readonly media: object }, url: unknown): Promise<unknown> {
  return Reflect.apply(Reflect.get(client.media, 'download'), client.media, [url]);
}

/** What white space separates. */
function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Hosts, ports and users that are not those of the service, or not plainly so. */
const authorities = [
  ...words(`
    [::1%25lo]:8080 \uff11\uff12\uff17.0.0.1:8080 127\u30020\u30020\u30021:8080 127.0.0.1\u200b:8080
    loc\u00adalhost:8080 %31%32%37.0.0.1:8080 127.0.0.1%00.evil.example:8080 127.0.0.1\0:8080
    127.0.0.1: 127.0.0.1:0 127.0.0.1:08080 127.0.0.1:808000 127.0.0.1:8080:9090
    user:${PASSWORD}@127.0.0.1:8080 @127.0.0.1:8080 :@127.0.0.1:8080 127.0.0.1:8080@127.0.0.1:9090
    127.0.0.1:8080\\@127.0.0.1:9090 127.0.0.1:8080#@127.0.0.1:9090 127.0.0.1:8080?@127.0.0.1:9090
    127.0.0.1:8080;@127.0.0.1:9090 127.0.0.1:8080\uff20127.0.0.1:9090
  `),
  ...['127.0.0.1\t:8080', '127.\n0.0.1:8080', ' 127.0.0.1:8080', '127.0.0.1: 8080', '127.0.0.1:8080\t'],
];

/** Plain hosts that are not those of the service. */
const otherHosts = words(`
  127.0.0.1:9090 127.0.0.2:8080 localhost:8080 127.0.0.1.:8080 evil.example 127.0.0.1.evil.example:8080 127.0.0.1
  127.0.0.1:80 [::1]:8080 [::ffff:127.0.0.1]:8080 127.1:8080 2130706433:8080 0x7f000001:8080 0177.0.0.1:8080 0.0.0.0
  bank_app:8080
`);

/** Whole URLs with another scheme, none, or more than a URL. */
const spellings = [
  ...words(`
    HTTP://127.0.0.1:8080${MEDIA} ws://127.0.0.1:8080${MEDIA} file:///etc/passwd
    view-source:${GOOD} data:image/png;base64,aGk= http:127.0.0.1:8080${MEDIA} http:///127.0.0.1:8080${MEDIA}
    http:\\\\127.0.0.1:8080${MEDIA} http://http://127.0.0.1:8080${MEDIA} \0${GOOD} "${GOOD}" ${GOOD}\0
    http://evil.example/?${GOOD} . ?download=1 //127.0.0.1:8080${MEDIA} 127.0.0.1:8080${MEDIA}
  `),
  ...['', ` ${GOOD}`, `\n${GOOD}`, `\ufeff${GOOD}`, `${GOOD} `, `${GOOD}\n`, `${GOOD}, ${ELSEWHERE}`],
  ...[
    `${GOOD}\r\nX-Evil: 1`,
    `${ELSEWHERE}?${'x'.repeat(1_000_000)}`,
    `${ROOT}/api/v1/${'a'.repeat(100_000)}`,
  ],
];

const paths = [
  ...words(`
    / /api/v1 /api/v1/ /api/v1?download=1 /api/v2/events/auc_1 /api/v10/events/auc_1 /API/V1/events/auc_1
    //api/v1/events/auc_1 /api//v1/events/auc_1 /x/../api/v1/events/auc_1 /api/v1/.. /api/v1/../../admin
    /api/v1/events/./auc_1 /api/v1/%2e%2e/admin /api/v1/%252e%252e/admin /api/v1/..%2fadmin /api/v1/..\\admin
    /api/v1\\events /api/v1/events/%00 /api/v1/events/a+b /api/v1/events//auc_1 /api/v1/events/auc_1/
    /api/v1/events;v=1/auc_1 /api/v1/@127.0.0.1 /api/v1/http://127.0.0.1:9090/x /api/v1/events/ａuc_1
    /api/v1/\uff0e\uff0e/admin /api/v1/events/\ud800 /index.php/api/v1/events/auc_1 /api/v1/events/auc_1#fragment
  `),
  ...['', '/api/v1/events/a b', '/api/v1/events/a\nb'],
];

const queries = [
  ...words(`
    ? ?download ?=1 ?& ?download=1& ?download=1&&a=1 ?download=1&download=2 ?download=1?a=2 ?download=1;a=2
    ?download=%31 ?download=1+1 ?a[]=1 ?a=b=c ?a=b/c ?a=\u00fc ?a=1#b ?a=1\\
  `),
  '?download=1 1',
];

/** What is no string, though much of it would turn into the right one. */
function hostileValues(): readonly unknown[] {
  return [
    ...[undefined, null, true, 901, 901n, Symbol(GOOD), {}, [], [GOOD], () => GOOD, new URL(GOOD)],
    ...[new String(GOOD), { toString: () => GOOD }, { href: GOOD }, Buffer.from(GOOD)],
    Object.assign(new String(ELSEWHERE), { startsWith: () => true, slice: () => '/x', split: () => ['/x'] }),
    ...[new Request(GOOD), Promise.resolve(GOOD)],
  ];
}

describe('only URLs of the configured service are ever signed for', () => {
  // rule: catalogue.files
  it.each([
    ['partner', dealer],
    ['bank', bank],
  ])('a %s is refused every other URL, and nothing is sent', async (_, make) => {
    const { client, transport } = make([photo], { baseUrl: `${ROOT}/api/v1` });
    const urls = [
      ...authorities.map((authority) => `http://${authority}${MEDIA}`),
      ...spellings,
      ...paths.map((path) => ROOT + path),
      ...queries.map((query) => GOOD + query),
    ];
    for (const value of [...urls, ...hostileValues()]) {
      const error = await download(client, value).catch((failure: unknown) => failure);
      const about = inspect(value).slice(0, 200);
      const issues = [{ path: 'url', message: expect.stringMatching(/^must /) }];
      expect(error, about).toMatchObject({ ...refused, issues });
      const shown = shownBy(error);
      for (const secret of [PASSWORD, SECRET]) expect(shown.includes(secret), about).toBe(false);
      expect(shown.length, about).toBeLessThan(20_000);
    }
    expect(transport.sent).toEqual([]);
    // The one right URL goes through, on the same client.
    expect(await download(client, GOOD)).toMatchObject({ stream: expect.any(ReadableStream) });
    expect(transport.sent.map(({ origin, path }) => origin + path)).toEqual([GOOD]);
  });

  it.each([
    ['bids.list', '/bids?bidder_reference=somebody-else'],
    ['A21', '/sale-cases/sal_1'],
    ['A46', '/sale-cases/sal_1/receipts'],
    ['A74', '/notifications?page=1'],
    ['events.lot', '/events/auc_1/lots/lot_1'],
    ['A28', '/deposits'],
  ])('what is known to be %s and no file is refused: %s', async (id, path) => {
    const { client, transport } = dealer([]);
    const error = await rejection(download(client, `https://bank.example/api/v1${path}`));
    expect(error).toMatchObject({
      issues: [{ message: expect.stringContaining(`this one belongs to ${id}`) }],
    });
    expect(transport.sent).toEqual([]);
  });

  it('a service on a default port is no other host, scheme or port', async () => {
    const others = words(`
      http://bank.example http://bank.example:443 https://bank.example:80 https://bank.example:0443
      https://bank.example: https://bank.example. https://www.bank.example https://bank.example.evil.example
      https://bank.example@evil.example:443 https://bank%2eexample https://b\u0430nk.example
    `);
    const { client, transport } = dealer([]);
    for (const origin of others) {
      const lot = `${origin}/api/v1/events/auc_1/lots/lot_1/pictures/901`;
      expect(await rejection(client.media.download(lot)), origin).toMatchObject(refused);
    }
    expect(transport.sent).toEqual([]);
  });

  it.each(otherHosts)('a file under the root of %s is fetched from the configured origin', async (host) => {
    const { client, transport } = dealer([photo, photo], { baseUrl: `${ROOT}/api/v1` });
    await client.media.download(`http://${host}${MEDIA}`);
    await client.media.download(`https://${host}/portal/index.php/api/v1/documents/doc_1?download=1`);
    const sent = transport.sent.map(({ origin, path }) => origin + path);
    expect(sent).toEqual([GOOD, `${ROOT}/api/v1/documents/doc_1?download=1`]);
    for (const path of [
      '/bids',
      '/documents',
      '/media/1',
      '/events/a/lots/b/media/c/d',
      '/..',
      '/documents/%2e',
    ]) {
      const error = await rejection(client.media.download(`http://${host}/api/v1${path}`));
      expect(error, path).toMatchObject(refused);
    }
    expect(transport.sent).toHaveLength(2);
  });
});

describe('URLs of the service are fetched as they are', () => {
  // rule: catalogue.files
  it.each([
    ['a photo', '', MEDIA, ''],
    ['any plain segment', '', '/api/v1/a-b/c_d/e.f/~g/...', ''],
    ['parameters, sorted', '', '/api/v1/documents/doc_1', 'b=2&download=1&empty='],
    ['behind a front controller', '/portal/app-2/index.php', '/api/v1/documents/doc_1', 'download=1'],
  ])('%s', async (_, prefix, path, query) => {
    const headers = { 'content-type': 'image/jpeg', 'content-disposition': 'inline' };
    const { client, transport } = dealer([{ ...photo, headers }], { baseUrl: `${ROOT}${prefix}/api/v1` });
    const wire = prefix + path + (query === '' ? '' : `?${query}`);
    const { stream, ...about } = await client.media.download(ROOT + wire);
    expect(await new Response(stream).text()).toBe('photo');
    expect(about).toMatchObject({ contentType: 'image/jpeg', contentDisposition: 'inline' });
    const [sent] = transport.sent;
    expect(`${sent?.method} ${sent?.path}`).toBe(`GET ${wire}`);
    const given = new Headers(sent?.headers);
    const lines = ['GET', path, query, given.get('x-timestamp'), given.get('x-nonce'), EMPTY].join('\n');
    expect(given.get('x-signature')).toBe(createHmac('sha256', SECRET).update(lines).digest('hex'));
    expect(given.get('x-content-sha256')).toBe(EMPTY);
  });

  it.each([
    ['TLS ends before PHP', 'http://bank.example:8443/portal/api/v1'],
    ['the port is lost', 'https://bank.example/portal/api/v1'],
    ['scheme and port are lost', 'http://bank.example/portal/api/v1'],
    ['the front controller is named', 'https://bank.example:8443/portal/index.php/api/v1'],
    ['the prefix is lost', 'https://bank.example:8443/api/v1'],
    ['the host is an internal one', 'http://php-fpm-3:9000/api/v1'],
    ['there is only a path', '/api/v1'],
  ])('where %s', async (_, root) => {
    const { client, transport } = dealer([photo], { baseUrl: 'https://bank.example:8443/portal/api/v1' });
    await client.media.download(`${root}/events/auc_1/lots/lot_1/media/901`);
    expect(transport.sent.map(({ origin, path }) => origin + path)).toEqual([
      `https://bank.example:8443/portal${MEDIA}`,
    ]);
  });

  it.each([
    ['https://bank.example:443/api/v1', 'https://bank.example'],
    ['https://bank.example/api/v1/', 'https://bank.example'],
    ['HTTPS://BANK.example/api/v1', 'https://bank.example'],
    ['https://bank.example:8443/api/v1', 'https://bank.example:8443'],
    ['http://127.0.0.1/api/v1', 'http://127.0.0.1:80'],
    ['http://[::1]:8080/api/v1', 'http://[::1]:8080'],
    // A service that writes its default port, or capitals, does so in both.
    ['https://bank.example:443/api/v1', 'https://bank.example:443'],
    ['https://BANK.example/api/v1', 'https://BANK.example'],
  ])('base URL %s, URL of %s', async (baseUrl, origin) => {
    const { client, transport } = dealer([photo], { baseUrl });
    await client.media.download(origin + MEDIA);
    expect(transport.sent.map((sent) => sent.origin + sent.path)).toEqual([new URL(origin).origin + MEDIA]);
  });
});
