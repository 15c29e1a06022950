import { execFile } from 'node:child_process';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { TlsOptions } from '../../src/core/transport/tls.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { ConfigurationError } from '../../src/errors/local.js';
import { authority, elsewhere, server as identity, stranger } from '../support/certificates.js';
import { listen } from '../support/loopback.js';
import { root } from '../support/sources.js';
import { requestTo, textOfBody } from '../support/transport-request.js';

const run = promisify(execFile);

async function service() {
  const heard = await listen(createServer(identity, (_, res) => res.end('{}')));
  return { ...heard, origin: `https://127.0.0.1:${heard.port}` };
}

type Ca = TlsOptions['ca'];

describe('certificates beside the default ones', () => {
  it.each<[string, Ca]>([
    ['text', authority],
    ['bytes', Buffer.from(authority)],
    ['bytes of another kind', new TextEncoder().encode(authority)],
    ['a bundle of several', `# corporate roots\n${stranger}\nIssuer: somebody\n${authority}`],
    ['with the line ends of Windows', authority.replaceAll('\n', '\r\n')],
    ['an array', [stranger, Buffer.from(authority)]],
  ])('are trusted, given as %s', async (_, ca) => {
    await using target = await service();
    const transport = undiciTransport({ tls: { ca } });
    const reply = await transport.send(requestTo(target.origin));
    expect(await textOfBody(reply.body)).toBe('{}');
    await transport.close();
  });

  it('leave in force what Node trusts by default, NODE_EXTRA_CA_CERTS included', async () => {
    await using target = await service();
    const script = `
      import { undiciTransport } from './src/core/transport/undici.ts';
      import { requestTo } from './test/support/transport-request.ts';
      import { stranger } from './test/support/certificates.ts';
      const transport = undiciTransport({ tls: { ca: stranger } });
      const { status } = await transport.send(requestTo('${target.origin}'));
      await transport.close();
      console.log(status);
    `;
    const env = {
      ...process.env,
      NODE_EXTRA_CA_CERTS: join(root, 'test/support/certificates/authority.pem'),
    };
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    const { stdout } = await run(process.execPath, args, { cwd: root, env });
    expect(stdout.trim()).toBe('200');
  });

  it('are shared for with those who trust the same, and with no others', async () => {
    await using target = await service();
    const same: Ca[] = [authority, [Buffer.from(authority), authority]];
    const others: Ca[] = [
      [authority, stranger],
      [stranger, authority],
    ];
    const all = [...same, ...others].map((ca) => undiciTransport({ tls: { ca } }));
    for (const transport of all) {
      const reply = await transport.send(requestTo(target.origin));
      await textOfBody(reply.body);
      // A connection is free again a turn of the loop later.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(target.connections.count).toBe(2);
    for (const transport of all) await transport.close();
  });
});

describe('what Node trusts by default', () => {
  afterEach(() => {
    vi.doUnmock('node:tls');
    vi.resetModules();
  });

  /** What a secure context is made from, where node:tls has these functions as well. */
  async function contextOf(functions: object): Promise<unknown> {
    const createSecureContext = vi.fn();
    vi.resetModules();
    vi.doMock('node:tls', async (importOriginal) => ({
      ...(await importOriginal<typeof import('node:tls')>()),
      getCACertificates: undefined,
      ...functions,
      createSecureContext,
    }));
    const { resolveTls, secureContextOf } = await import('../../src/core/transport/tls.js');
    const settings = resolveTls({ ca: stranger });
    if (settings !== undefined) await secureContextOf(settings);
    return createSecureContext.mock.calls[0]?.[0];
  }

  it('is what it tells, where it does', async () => {
    const getCACertificates = (type: string) => [`the ${type} ones`];
    expect(await contextOf({ getCACertificates })).toEqual({ ca: ['the default ones', stranger.trim()] });
  });
});

describe('the option tls.ca', () => {
  const truncated = authority.replace('-----END CERTIFICATE-----', '');
  const broken = authority.replace(/\n[^-\n]{20}/, '\nAAAAAAAAAAAAAAAAAAAA');

  it.each<[string, unknown, string]>([
    ['nothing', '', 'must be PEM itself'],
    ['an empty array', [], 'at least one'],
    ['a path', '/etc/ssl/corporate.pem', 'not a path'],
    ['null', null, 'must be PEM'],
    ['a key', elsewhere.key, 'must be PEM itself'],
    ['a certificate without its end', truncated, 'has no end'],
    ['a bundle that breaks off', `${authority}${truncated}`, 'has no end'],
    ['a certificate that is none', broken, 'cannot be parsed'],
    ['one wrong item among right ones', [authority, 'x'], 'item 2'],
  ])('is not %s', (_, ca, problem) => {
    const make = () => undiciTransport({ tls: { ca } as { ca: string } });
    expect(make).toThrow(problem);
    expect(make).toThrow(expect.objectContaining({ option: 'tls.ca', outcome: 'not_sent' }));
    expect(make).not.toThrow(/BEGIN PRIVATE KEY|[A-Za-z0-9+/]{40}/);
  });
});

it.each([[null], ['proxy'], [{ proxi: 'http://proxy.example' }]])('Options %j are refused', (options) => {
  expect(() => undiciTransport(options as object)).toThrow(ConfigurationError);
});
