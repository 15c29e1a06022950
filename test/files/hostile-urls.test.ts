import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { credentials, dealer, rejection, SECRET } from '../support/clients.js';
import { type Neighbourhood, neighbourhood } from './strangers.js';

const MEDIA = '/api/v1/events/auc_1/lots/lot_1/media/901';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const PASSWORD = 'hunter2-of-the-url';

function partnerOf(baseUrl: string): PartnerClient<'direct_dealer'> {
  return new PartnerClient({
    environment: 'sandbox',
    baseUrl,
    credentials,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
    logLevel: 'off',
    quota: { limit: Number.POSITIVE_INFINITY, scope: 'client' },
  });
}

/** `media.download` as plain JavaScript calls it. */
function download(client: PartnerClient<'direct_dealer'> | BankClient, url: unknown): Promise<unknown> {
  const media: { download(url: unknown): Promise<unknown> } = client.media as never;
  return media.download(url);
}

/** What white space separates. */
function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** URLs that are not the configured service's, or not plainly so. `p` is its port, `q` that of a stranger. */
function hostileUrls(p: number, q: number): readonly string[] {
  const at = (authority: string) => `http://${authority}${MEDIA}`;
  const good = at(`127.0.0.1:${p}`);
  const root = `http://127.0.0.1:${p}`;
  const hosts = [
    ...words(`
      127.0.0.1:${q} 127.0.0.2:${p} localhost:${p} LOCALHOST:${p} localhost.:${p} 127.0.0.1.:${p} a.localhost:${p}
      127.0.0.1.evil.example:${p} evil.example evil.example:${p} [::1]:${p} [0:0:0:0:0:0:0:1]:${p} [::]:${p}
      [::ffff:127.0.0.1]:${p} [::ffff:7f00:1]:${p} [::127.0.0.1]:${p} [::1%25lo]:${p} [127.0.0.1]:${p} 127.1:${p}
      127.0.1:${p} 2130706433:${p} 0x7f000001:${p} 0x7f.0.0.1:${p} 0x7F.0x0.0x0.0x1:${p} 0177.0.0.1:${p}
      017700000001:${p} 127.000.000.001:${p} 0:${p} 0.0.0.0:${p} 127.0.0.1.nip.io:${p}
      \uff11\uff12\uff17.0.0.1:${p} 127\u30020\u30020\u30021:${p} 127\uff0e0\uff0e0\uff0e1:${p}
      127\uff610\uff610\uff611:${p} \u24db\u24de\u24d2alhost:${p} l\u03bfcalhost:${p} loc\u00adalhost:${p}
      127.0.0.1\u200b:${p} %31%32%37.0.0.1:${p} 127.0.0.1%2e:${p} 127.0.0.1%00.evil.example:${p} 127.0.0.1\0:${p}
      127.0.0.1,evil.example:${p}
    `),
    `127.0.0.1\t:${p}`,
    `127.\n0.0.1:${p}`,
    ` 127.0.0.1:${p}`,
    `127.0.0.1 :${p}`,
  ];
  const ports = [
    ...words(`
      127.0.0.1 127.0.0.1: 127.0.0.1:80 127.0.0.1:443 127.0.0.1:0 127.0.0.1:0${p} 127.0.0.1:00000${p}
      127.0.0.1:+${p} 127.0.0.1:${p}0 127.0.0.1:${p}.0 127.0.0.1::${p} 127.0.0.1:${p}:${q} 127.0.0.1:${p}%20
      127.0.0.1:%3${p}
    `),
    `127.0.0.1: ${p}`,
    `127.0.0.1:${p} `,
    `127.0.0.1:${p}\t`,
    `127.0.0.1:${p + 65536}`,
  ];
  const users = [
    ...words(`
      user:${PASSWORD}@127.0.0.1:${p} ${PASSWORD}@127.0.0.1:${p} :${PASSWORD}@127.0.0.1:${p} @127.0.0.1:${p}
      :@127.0.0.1:${p} 127.0.0.1:${p}@127.0.0.1:${q} 127.0.0.1:${p}@evil.example
      127.0.0.1:${p}:${PASSWORD}@127.0.0.1:${q} 127.0.0.1:${p}%40127.0.0.1:${q} 127.0.0.1:${p}%2f@127.0.0.1:${q}
      127.0.0.1:${p}\\@127.0.0.1:${q} 127.0.0.1:${p}#@127.0.0.1:${q} 127.0.0.1:${p}?@127.0.0.1:${q}
      127.0.0.1:${p};@127.0.0.1:${q} 127.0.0.1:${p}&@127.0.0.1:${q}#@127.0.0.1:${p}
      127.0.0.1:${p}\uff20127.0.0.1:${q}
    `),
  ];
  const schemes = [
    ...words(`
      https://127.0.0.1:${p}${MEDIA} HTTP://127.0.0.1:${p}${MEDIA} hTTp://127.0.0.1:${p}${MEDIA}
      ws://127.0.0.1:${p}${MEDIA} ftp://127.0.0.1:${p}${MEDIA} file://127.0.0.1:${p}${MEDIA} file:///etc/passwd
      view-source:${good} blob:${good} url:${good} javascript:fetch("${good}") data:image/png;base64,aGk=
      http:127.0.0.1:${p}${MEDIA} http:/127.0.0.1:${p}${MEDIA} http:///127.0.0.1:${p}${MEDIA}
      http:\\\\127.0.0.1:${p}${MEDIA} http:/\\127.0.0.1:${p}${MEDIA} http%3a//127.0.0.1:${p}${MEDIA}
      http://http://127.0.0.1:${p}${MEDIA} \0${good} \u200b${good} "${good}" <${good}> ${good}\0
    `),
    `http:\t//127.0.0.1:${p}${MEDIA}`,
    `ht\ntp://127.0.0.1:${p}${MEDIA}`,
    ` ${good}`,
    `\t${good}`,
    `\n${good}`,
    `\ufeff${good}`,
    `${good} `,
    `${good}\n`,
    `${good}\r\nX-Evil: 1`,
    `${good} HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
    `${good}, http://127.0.0.1:${q}${MEDIA}`,
  ];
  const relative = [
    ...words(`
      / . ?download=1 .${MEDIA} //127.0.0.1:${p}${MEDIA} //127.0.0.1:${q}${MEDIA} \\\\127.0.0.1:${q}\\api\\v1\\x
      /\\127.0.0.1:${q}${MEDIA} 127.0.0.1:${p}${MEDIA} /events/auc_1 events/auc_1
    `),
    '',
    MEDIA,
    MEDIA.slice(1),
  ];
  const paths = [
    ...words(`
      / /api /api/v1 /api/v1/ /api/v1?download=1 /api/v1/?download=1 /api/v2/events/auc_1 /api/v10/events/auc_1
      /api/v1x/events/auc_1 /api/v1.0/events/auc_1 /API/V1/events/auc_1 /Api/v1/events/auc_1 //api/v1/events/auc_1
      /api//v1/events/auc_1 /api/./v1/events/auc_1 /x/../api/v1/events/auc_1 /api/v1/../v1/events/auc_1 /api/v1/..
      /api/v1/../../admin /api/v1/events/.. /api/v1/events/../../../admin /api/v1/events/./auc_1 /api/v1/.
      /api/v1/%2e%2e/admin /api/v1/%2E%2E%2fadmin /api/v1/.%2e/admin /api/v1/%252e%252e/admin /api/v1/..%2fadmin
      /api/v1/..%5cadmin /api/v1/..\\admin /api/v1\\events /api/v1/events\\auc_1 /api/v1/events/auc%31
      /api/v1/events/%00 /api/v1/events/a%0d%0aX-Evil:1 /api/v1/events/a%20b /api/v1/events/a+b
      /api/v1/events//auc_1 /api/v1//events/auc_1 /api/v1/events/auc_1/ /api/v1/events/auc_1//
      /api/v1/events;v=1/auc_1 /api/v1/..;/admin /api/v1/events/;jsessionid=1 /api/v1/@127.0.0.1
      /api/v1/http://127.0.0.1:${q}/x /api/v1/events/ａuc_1 /api/v1/\uff0e\uff0e/admin /api/v1/events\uff0fauc_1
      /api/v1/events\u2215auc_1 /api/v1/events/\u202e1_cua /api/v1/events/\ud800 /api/v1/events/'auc_1'
      /api/v1/events/{event} /index.php/api/v1/events/auc_1 /index.php/../api/v1/events/auc_1
      /api/v1/events/auc_1# /api/v1/events/auc_1#fragment /api/v1/events/auc_1#@127.0.0.1:${q}/
      /api/v1/events/auc_1?x#@127.0.0.1:${q}
    `),
    '',
    '/api/v1/events/a b',
    '/api/v1/events/a\tb',
    '/api/v1/events/a\nb',
  ];
  const queries = [
    ...words(`
      ? ?download ?=1 ?& ?download=1& ?&download=1 ?download=1&&a=1 ?download=1&download=2 ?download=1&download=1
      ?download=1?a=2 ??download=1 ?download=1;a=2 ?download=%31 ?download=1%26admin=1 ?download=1+1 ?a[]=1 ?a=b=c
      ?a=b/c ?a=\u00fc ?a=1#b ?a=1\\ ?next=http://127.0.0.1:${q}/ ?@127.0.0.1:${q}
    `),
    '?download=1 1',
    '?download=1\n',
    '?download=1\t',
  ];
  return [
    ...[...hosts, ...ports, ...users].map(at),
    ...schemes,
    ...relative,
    ...paths.map((path) => root + path),
    ...queries.map((query) => good + query),
    `http://evil.example/${good}`,
    `http://evil.example/?${good}`,
    `http://127.0.0.1:${q}${MEDIA}?${'x'.repeat(1_000_000)}`,
  ];
}

/** What is no string, though much of it would turn into the right one. */
function hostileValues(good: string, bad: string): readonly unknown[] {
  let asked = 0;
  const lying = () => {
    asked += 1;
    return asked === 1 ? good : bad;
  };
  return [
    undefined,
    null,
    true,
    901,
    901n,
    Symbol(good),
    {},
    [],
    [good],
    () => good,
    new URL(good),
    new String(good),
    Object.assign(new String(good), { toString: lying, valueOf: lying }),
    Object.assign(new String(bad), { startsWith: () => true, slice: () => '/x', split: () => ['/x'] }),
    { toString: () => good },
    { toString: lying, [Symbol.toPrimitive]: lying },
    { href: good },
    { url: good },
    Buffer.from(good),
    new Request(good),
    new Proxy(new URL(good), {}),
    Promise.resolve(good),
  ];
}

/** Everything that a value shows, however it is looked at. */
function shownBy(value: unknown): string {
  const inside = value instanceof Error ? `${value.stack}${shownBy(value.cause ?? '')}` : '';
  return [
    inspect(value, { showHidden: true, depth: 20, getters: true, maxStringLength: null }),
    JSON.stringify(value),
    String(value),
    inside,
  ].join('\n');
}

describe('only URLs of the configured service are ever signed for', () => {
  it('there are strangers who would hear it', async () => {
    await using place = await neighbourhood((_, res) => res.end('hi'));
    expect(place.strangers.length).toBeGreaterThan(0);
    for (const { authority, heard } of place.strangers) {
      await (await fetch(`http://${authority}/heard`)).text();
      expect(heard.join()).toContain('GET /heard');
    }
    expect(await place.overheard()).toHaveLength(place.strangers.length);
    expect(place.requests).toEqual([]);
  });

  // rule: catalogue.files
  it.each(['partner', 'bank'])('a %s is refused every other URL, and nobody is asked', async (party) => {
    await using place = await neighbourhood((_, res) => res.end('photo'));
    const { baseUrl, port } = place;
    await using client =
      party === 'partner'
        ? partnerOf(baseUrl)
        : new BankClient({ environment: 'sandbox', baseUrl, credentials, logLevel: 'off' });
    const q = Number(place.strangers[0]?.authority.split(':').at(-1));
    const urls = [...new Set(hostileUrls(port, q))];
    expect(urls.length).toBeGreaterThan(200);
    const good = `http://127.0.0.1:${port}${MEDIA}`;
    const values = [...urls, ...hostileValues(good, `http://127.0.0.1:${q}${MEDIA}`)];
    const wrong: string[] = [];
    for (const value of values) {
      const error = await download(client, value).catch((failure: unknown) => failure);
      const refused = expect.objectContaining({
        name: 'InvalidRequestError',
        operation: 'media.download',
        outcome: 'not_sent',
        issues: [{ path: 'url', message: expect.stringMatching(/^must /) }],
      });
      const shown = shownBy(error);
      if (
        !refused.asymmetricMatch(error) ||
        shown.includes(PASSWORD) ||
        shown.includes(SECRET) ||
        shown.length > 9_999
      ) {
        wrong.push(`${inspect(value).slice(0, 200)}: ${shown.slice(0, 300)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(place.connections.count).toBe(0);
    expect(place.requests).toEqual([]);
    expect(await place.overheard()).toEqual([]);

    // The one right URL goes through, on the same client.
    expect(await download(client, good)).toMatchObject({ stream: expect.any(ReadableStream) });
    expect(place.requests.map(({ line }) => line)).toEqual([`GET ${MEDIA}`]);
  });

  it.each([
    ['a segment', `/${'a'.repeat(100_000)}`],
    ['a path', '/a'.repeat(10_000)],
    ['a query', `/x?a=${'b'.repeat(100_000)}`],
    ['many parameters', `/x?${Array.from({ length: 10_000 }, (_, index) => `p${index}=1`).join('&')}`],
  ])('%s longer than any service takes is refused', async (_, path) => {
    await using place = await neighbourhood((_, res) => res.end('photo'));
    await using client = partnerOf(place.baseUrl);
    expect(await rejection(download(client, place.baseUrl + path))).toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ path: 'url' }],
    });
    expect(place.connections.count).toBe(0);
  });

  it.each([
    ['bids.list', '/bids'],
    ['bids.list', '/bids?bidder_reference=somebody-else'],
    ['A21', '/sale-cases/sal_1'],
    ['A46', '/sale-cases/sal_1/receipts'],
    ['A74', '/notifications?page=1'],
    ['A01', '/integration/profile'],
    ['events.lot', '/events/auc_1/lots/lot_1'],
    ['A28', '/deposits'],
  ])('what is known to be %s and no file is refused: %s', async (id, path) => {
    await using place = await neighbourhood((_, res) => res.end('bids of somebody else'));
    await using client = partnerOf(place.baseUrl);
    const refused = await rejection(download(client, place.baseUrl + path));
    expect(refused).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'url' }] });
    expect(String(refused)).toContain(`this one is of ${id}`);
    expect(place.connections.count).toBe(0);
  });

  it.each(['__proto__', 'constructor', 'toString', '_method'])(
    'a parameter called %s is sent like any other, or not at all',
    async (name) => {
      await using place = await neighbourhood((_, res) => res.end('photo'));
      await using client = partnerOf(place.baseUrl);
      const end = await download(client, `http://127.0.0.1:${place.port}${MEDIA}?${name}=1`).catch(
        (error: unknown) => Object(error).name,
      );
      const lines = place.requests.map(({ line }) => line);
      expect(lines).toEqual(end === 'InvalidRequestError' ? [] : [`GET ${MEDIA}?${name}=1`]);
    },
  );

  // rule: catalogue.files
  it('a front controller that is missing, another, or doubled is another address', async () => {
    await using place = await neighbourhood((_, res) => res.end('photo'));
    const root = `http://127.0.0.1:${place.port}`;
    await using client = partnerOf(`${root}/index.php/api/v1`);
    const others = [
      MEDIA,
      `/index.html${MEDIA}`,
      `/INDEX.PHP${MEDIA}`,
      `/index.php/index.php${MEDIA}`,
      `/index.php/${MEDIA}`,
      `/index.php/..${MEDIA}`,
      `/index.php${MEDIA.replace('/api/v1', '/api/v2')}`,
      `/index.php%2fapi/v1/events/auc_1`,
      `/index.phpx${MEDIA}`,
      `/portal/index.php${MEDIA}`,
    ];
    for (const path of others) {
      expect([path, await rejection(download(client, root + path))]).toMatchObject([
        path,
        { name: 'InvalidRequestError', issues: [{ path: 'url' }] },
      ]);
    }
    expect(place.connections.count).toBe(0);
    expect(await place.overheard()).toEqual([]);
  });
});

describe('where the service has the default port', () => {
  const others = words(`
      http://bank.example http://bank.example:443 https://bank.example:80 https://bank.example:0443
      https://bank.example:4430 https://bank.example:443:443 https://bank.example:443x https://bank.example:
      https://bank.example:65979 https://bank.example. https://bank.example.:443 https://.bank.example
      https://www.bank.example https://bank.example.evil.example https://bank.example:443@evil.example
      https://bank.example@evil.example:443 https://bank%2eexample https://bank\u3002example
      https://ban\u212a.example https://\uff42ank.example https://b\u0430nk.example https://xn--bnk-5cd.example
      http://127.0.0.1:80 http://127.0.0.1:443
  `);

  it.each([...others, 'https://bank.example: 443'])('%s is not the service', async (origin) => {
    const { client, transport } = dealer(
      [],
      origin.endsWith('.1:443') ? { baseUrl: 'http://127.0.0.1/api/v1' } : {},
    );
    expect(await rejection(client.media.download(origin + MEDIA))).toMatchObject({
      name: 'InvalidRequestError',
      outcome: 'not_sent',
      issues: [{ path: 'url' }],
    });
    expect(transport.sent).toEqual([]);
  });
});

describe('a reply leads nowhere else', () => {
  it.each([300, 301, 302, 303, 304, 305, 306, 307, 308, 399])('HTTP %i', async (status) => {
    const locations = [
      (q: string) => `http://${q}/stolen`,
      (q: string) => `http://user:${PASSWORD}@${q}/stolen`,
      (q: string) => `//${q}/stolen`,
      () => `${MEDIA}-other`,
      () => '',
      () => '\u00ff not a URL',
    ];
    for (const locationOf of locations) {
      let stranger = '';
      await using place = await neighbourhood((_, res) => {
        res.writeHead(status, { location: locationOf(stranger), 'content-type': 'text/html' });
        res.end(status === 304 ? undefined : `<a href="${locationOf(stranger)}">moved</a>`);
      });
      stranger = place.strangers[0]?.authority ?? '';
      await using client = partnerOf(place.baseUrl);
      const error = await rejection(download(client, `http://127.0.0.1:${place.port}${MEDIA}`));
      expect(error).toMatchObject({ name: 'UnexpectedResponseError', status, attempts: 1 });
      expectNoTrace(error, place);
      expect(place.requests.map(({ line }) => line)).toEqual([`GET ${MEDIA}`]);
      expect(await place.overheard()).toEqual([]);
    }
  });

  it('no redirect of a bid, a command or a page is followed either', async () => {
    let stranger = '';
    await using place = await neighbourhood((_, res) => {
      res.writeHead(307, { location: `http://${stranger}/stolen` });
      res.end();
    });
    stranger = place.strangers[0]?.authority ?? '';
    await using client = partnerOf(place.baseUrl);
    const calls = [
      client.bids.submit('lot_1', { amount: '465000' }),
      client.disputes.create({ sale_id: 'sale_1', reason_code: 'damage' }),
      client.events.list().firstPage(),
      client.documents.download('doc_1'),
      client.request({ method: 'GET', path: '/audit-events' }),
    ];
    for (const error of await Promise.all(calls.map(rejection))) {
      expect(error).toMatchObject({ name: 'UnexpectedResponseError', status: 307, outcome: 'unknown' });
      expectNoTrace(error, place);
    }
    // With an A01 for each of the two writes: no body has told server time.
    expect(place.requests).toHaveLength(7);
    expect(await place.overheard()).toEqual([]);
  });

  it.each([
    ['a Refresh header', { refresh: '0; url=http://STRANGER/stolen' }],
    ['a Link header', { link: '<http://STRANGER/stolen>; rel=preload' }],
    ['another service', { 'alt-svc': 'h2="STRANGER"; ma=86400' }],
    ['a Location', { location: 'http://STRANGER/stolen' }],
    ['a Content-Location', { 'content-location': 'http://STRANGER/stolen' }],
    ['a page that refreshes itself', { 'content-type': 'text/html' }],
  ])('%s under HTTP 200 is handed on as it is', async (_, headers) => {
    let stranger = '';
    const page = () => `<meta http-equiv="refresh" content="0;url=http://${stranger}/stolen">`;
    await using place = await neighbourhood((_, res) => {
      for (const [name, value] of Object.entries(headers))
        res.setHeader(name, value.replace('STRANGER', stranger));
      res.writeEarlyHints({ link: `<http://${stranger}/early>; rel=preload` });
      res.end(page());
    });
    stranger = place.strangers[0]?.authority ?? '';
    await using client = partnerOf(place.baseUrl);
    for (const _ of [1, 2]) {
      const reply = await client.media.download(`http://127.0.0.1:${place.port}${MEDIA}`);
      expect(await new Response(reply.stream).text()).toBe(page());
    }
    expect(place.requests.map(({ line }) => line)).toEqual([`GET ${MEDIA}`, `GET ${MEDIA}`]);
    expect(await place.overheard()).toEqual([]);
  });

  it.each([
    [401, { 'www-authenticate': 'Basic realm="bank"' }],
    [407, { 'proxy-authenticate': 'Basic realm="proxy"' }],
    [426, { upgrade: 'h2c', connection: 'upgrade' }],
  ])('HTTP %i asks in vain', async (status, headers) => {
    await using place = await neighbourhood((_, res) => {
      res.writeHead(status, headers);
      res.end();
    });
    await using client = partnerOf(place.baseUrl);
    const error = await rejection(download(client, `http://127.0.0.1:${place.port}${MEDIA}`));
    expect(error).toMatchObject({ status, attempts: 1 });
    expectNoTrace(error, place);
    expect(place.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});

describe('URLs of the service are fetched as they are', () => {
  // rule: catalogue.files
  it.each([
    ['a photo', '', MEDIA, ''],
    ['a document', '', '/api/v1/documents/doc_7f.pdf', 'download=1'],
    ['any plain segment', '', '/api/v1/a-b/c_d/e.f/~g/...', ''],
    ['parameters, sorted', '', '/api/v1/documents/doc_1', 'b=2&download=1&empty='],
    ['behind a front controller', '/index.php', MEDIA, ''],
    ['behind a longer one', '/portal/app-2/index.php', '/api/v1/documents/doc_1', 'download=1'],
  ])('%s', async (_, prefix, path, query) => {
    await using place = await neighbourhood((_, res) => {
      res.writeHead(200, { 'content-type': 'image/jpeg', 'content-disposition': 'inline' });
      res.end('photo');
    });
    await using client = partnerOf(`http://127.0.0.1:${place.port}${prefix}/api/v1`);
    const wire = prefix + path + (query === '' ? '' : `?${query}`);
    const { stream, ...about } = await client.media.download(`http://127.0.0.1:${place.port}${wire}`);
    expect(await new Response(stream).text()).toBe('photo');
    expect(about).toEqual({
      contentType: 'image/jpeg',
      contentLength: undefined,
      contentDisposition: 'inline',
    });
    expect(place.requests.map(({ line }) => line)).toEqual([`GET ${wire}`]);
    const headers = place.requests[0]?.headers ?? {};
    const lines = ['GET', path, query, headers['x-timestamp'], headers['x-nonce'], EMPTY].join('\n');
    expect(headers['x-signature']).toBe(createHmac('sha256', SECRET).update(lines).digest('hex'));
    expect(headers['x-content-sha256']).toBe(EMPTY);
    expect(await place.overheard()).toEqual([]);
  });

  it.each([
    ['https://bank.example:443/api/v1', 'https://bank.example'],
    ['https://bank.example/api/v1/', 'https://bank.example'],
    ['HTTPS://BANK.example/api/v1', 'https://bank.example'],
    ['https://bank.example:8443/api/v1', 'https://bank.example:8443'],
    ['http://127.0.0.1:80/api/v1', 'http://127.0.0.1'],
    ['http://127.0.0.1/api/v1', 'http://127.0.0.1:80'],
    ['http://[::1]:8080/api/v1', 'http://[::1]:8080'],
    // A service that writes its default port, or capitals, does so in both.
    ['https://bank.example:443/api/v1', 'https://bank.example:443'],
    ['https://BANK.example/api/v1', 'https://BANK.example'],
    ['https://bank.example/api/v1', 'https://bank.example:443'],
  ])('base URL %s, URL of %s', async (baseUrl, origin) => {
    const { client, transport } = dealer([{ status: 200, text: 'photo' }], { baseUrl });
    await client.media.download(origin + MEDIA);
    expect(transport.sent.map((sent) => sent.origin + sent.path)).toEqual([new URL(origin).origin + MEDIA]);
  });
});

/** Expects that an error shows neither secret nor signature nor what the reply wanted to lead to. */
function expectNoTrace(error: unknown, { requests }: Neighbourhood): void {
  const shown = shownBy(error);
  for (const { headers } of requests) {
    expect(headers['x-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(shown).not.toContain(headers['x-signature']);
  }
  for (const secret of [SECRET, encodeURIComponent(SECRET), PASSWORD, 'stolen'])
    expect(shown).not.toContain(secret);
}
