import { describe, expect, it } from 'vitest';
import { destinationOf, isPublic, urlProblem } from '../../../src/sandbox/webhooks/destination.js';

const hidden = [
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['this network', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private, ten', '10.0.0.1'],
  ['private, ten', '10.255.255.255'],
  ['private, 172.16', '172.16.0.1'],
  ['private, 172.31', '172.31.255.255'],
  ['private, 192.168', '192.168.1.1'],
  ['carrier-grade', '100.64.0.1'],
  ['carrier-grade', '100.127.255.255'],
  ['link-local', '169.254.1.1'],
  ['metadata of clouds', '169.254.169.254'],
  ['protocol assignments', '192.0.0.8'],
  ['documentation', '192.0.2.10'],
  ['documentation', '198.51.100.7'],
  ['documentation', '203.0.113.9'],
  ['6to4 relays', '192.88.99.1'],
  ['benchmarks', '198.18.0.1'],
  ['benchmarks', '198.19.255.255'],
  ['multicast', '224.0.0.1'],
  ['multicast', '239.255.255.250'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['loopback', '::1'],
  ['unspecified', '::'],
  ['mapped', '::ffff:127.0.0.1'],
  ['mapped, in hex', '::ffff:7f00:1'],
  ['mapped, public', '::ffff:8.8.8.8'],
  ['compatible', '::127.0.0.1'],
  ['translated', '64:ff9b::7f00:1'],
  ['translated, locally', '64:ff9b:1::1'],
  ['discard', '100::1'],
  ['unique local', 'fc00::1'],
  ['unique local', 'fd12:3456:789a::1'],
  ['link-local', 'fe80::1'],
  ['link-local, with a zone', 'fe80::1%lo'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['Teredo', '2001:0:7f00:1::1'],
  ['ORCHID', '2001:20::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['6to4', '2002:7f00:1::1'],
  ['segment routing', '5f00::1'],
  ['public, with a zone', '2606:4700:4700::1111%eth0'],
  ['no address', 'localhost'],
  ['no address', ''],
] as const;

const open = [
  '8.8.8.8',
  '1.1.1.1',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '198.20.0.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
];

/** A resolver that knows one name, and fails the test when it is asked for another. */
const knows = (...addresses: string[]) => {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve };
};

describe('destinations', () => {
  // rule: delivery.2
  it.each(hidden)('%s: %s is not public', async (_, address) => {
    expect(isPublic(address)).toBe(false);
    const { resolve } = knows('8.8.8.8', address);
    await expect(destinationOf('https://dealer.example/', false, resolve)).rejects.toMatchObject({
      name: 'BlockedDestinationError',
    });
  });

  it.each(open)('%s is public', async (address) => {
    expect(isPublic(address)).toBe(true);
    const { resolve, asked } = knows(address);
    const { addresses } = await destinationOf('https://dealer.example:8443/hooks?a=1', false, resolve);
    expect(addresses.map((each) => each.address)).toEqual([address]);
    expect(asked).toEqual(['dealer.example']);
  });

  it.each([
    ['plain HTTP', 'http://dealer.example/'],
    ['another scheme', 'ftp://dealer.example/'],
    ['a file', 'file:///etc/passwd'],
    ['no URL', 'dealer.example'],
    ['nothing', ''],
    ['a user', 'https://user@dealer.example/'],
    ['a password', 'https://:word@dealer.example/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback, short', 'https://127.1/'],
    ['loopback, decimal', 'https://2130706433/'],
    ['loopback, hex', 'https://0x7f.0.0.1/'],
    ['loopback, octal', 'https://0177.0.0.1/'],
    ['loopback, full width', 'https://１２７.0.0.1/'],
    ['zero', 'https://0/'],
    ['loopback in brackets', 'https://[::1]/'],
    ['mapped in brackets', 'https://[::ffff:169.254.169.254]/'],
    ['metadata', 'https://169.254.169.254/latest/meta-data'],
  ])('a URL with %s is refused without a look-up', async (_, url) => {
    expect(urlProblem(url, false)).toEqual(expect.any(String));
    const { resolve, asked } = knows('8.8.8.8');
    await expect(destinationOf(url, false, resolve)).rejects.toMatchObject({
      name: 'BlockedDestinationError',
    });
    expect(asked).toEqual([]);
  });

  it('names that lead to this machine are blocked by where they lead', async () => {
    for (const name of ['localhost', 'LOCALHOST', 'a.localhost', 'localhost.']) {
      const { resolve, asked } = knows('127.0.0.1');
      await expect(destinationOf(`https://${name}/`, false, resolve)).rejects.toThrow(
        'is at 127.0.0.1, which is no public address',
      );
      expect(asked).toEqual([name.toLowerCase()]);
    }
  });

  // rule: delivery.2
  it('private ones may be asked for: HTTP and loopback, but no user and no other scheme', async () => {
    const { resolve } = knows('127.0.0.1');
    for (const url of ['http://127.0.0.1:8080/', 'http://receiver.test/', 'https://[::1]/']) {
      expect(urlProblem(url, true)).toBeUndefined();
      expect((await destinationOf(url, true, resolve)).addresses).toHaveLength(1);
    }
    for (const url of ['ftp://127.0.0.1/', 'http://user@127.0.0.1/']) {
      expect(urlProblem(url, true)).toEqual(expect.any(String));
    }
  });

  it('a name without addresses is unreachable, not blocked', async () => {
    await expect(destinationOf('https://dealer.example/', false, async () => [])).rejects.toThrow(
      'dealer.example has no address',
    );
  });
});
