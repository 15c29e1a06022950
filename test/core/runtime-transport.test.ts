import { afterEach, describe, expect, it, vi } from 'vitest';
import { chooseTransport } from '../../src/core/transport/options.js';
import { runtimeWithoutUndici } from '../../src/core/transport/runtime.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { ConfigurationError } from '../../src/errors/local.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const versions = { ...process.versions, bun: '1.4.5' };
const ORIGIN = 'https://auction.example';

const runtimes: Readonly<Record<string, () => void>> = {
  Bun: () => void vi.spyOn(process, 'versions', 'get').mockReturnValue(versions),
  'Cloudflare Workers': () => vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' }),
  'this runtime': () => void vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined),
};

it('Node runs undici, also with the navigator of a browser environment', () => {
  expect(runtimeWithoutUndici()).toBeUndefined();
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 jsdom' });
  expect(runtimeWithoutUndici()).toBeUndefined();
});

describe.each(Object.entries(runtimes))('On %s', (name, pretend) => {
  it('requests go through the fetch that the runtime has at that moment', async () => {
    pretend();
    expect(runtimeWithoutUndici()).toBe(name);
    const { transport, release } = chooseTransport({}, ORIGIN);
    const fetch = vi.fn(async (_url: unknown, _init: unknown) => new Response('{}', { status: 201 }));
    vi.stubGlobal('fetch', fetch);
    const { signal } = new AbortController();
    const request = {
      origin: ORIGIN,
      path: '/api/v1/lots',
      method: 'GET' as const,
      headers: {},
      body: undefined,
      bodyLength: 0,
      streams: false,
      signal,
    };
    const { status } = await transport.send(request);
    await release();
    expect([status, fetch.mock.calls.map(([url]) => url)]).toEqual([201, [`${ORIGIN}/api/v1/lots`]]);
  });

  it.each([
    ['proxy', { proxy: 'http://proxy.example:3128' }],
    ['proxy', { proxy: 'env' }],
    ['tls', { tls: {} }],
    ['maxHeaderSize', { maxHeaderSize: 2_048 }],
    ['localAddress', { localAddress: '192.0.2.10' }],
    ['dispatcher', { dispatcher: { dispatch: () => true } }],
  ])('the option %s is refused by name', (option, options) => {
    pretend();
    const refusal = { option, message: expect.stringContaining(name) };
    expect(() => chooseTransport(options, ORIGIN)).toThrow(expect.objectContaining(refusal));
  });

  it('undiciTransport is refused', () => {
    pretend();
    expect(() => undiciTransport()).toThrow(ConfigurationError);
  });
});
