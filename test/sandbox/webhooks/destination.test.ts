import { describe, expect, it } from 'vitest';
import { destinationOf, isPublic, urlProblem } from '../../../src/sandbox/webhooks/destination.js';

/** Addresses that are not public, by what they are for. */
const hidden = {
  loopback: '127.0.0.1 127.255.255.254 ::1',
  'this network': '0.0.0.0 0.1.2.3 ::',
  private: '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12:3456:789a::1',
  'carrier-grade': '100.64.0.1 100.127.255.255',
  'link-local': '169.254.1.1 169.254.169.254 fe80::1 fe80::1%lo fec0::1',
  documentation: '192.0.2.10 198.51.100.7 203.0.113.9 2001:db8::1 3fff::1',
  'protocols and benchmarks': '192.0.0.8 192.88.99.1 198.18.0.1 198.19.255.255 100::1 5f00::1',
  'multicast and reserved': '224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 ff02::1',
  'mapped and translated':
    '::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1',
  tunnels: '2001:0:7f00:1::1 2001:20::1 2002:7f00:1::1',
  'no address': '2606:4700:4700::1111%eth0 localhost',
};
const open = [
  ...['8.8.8.8', '1.1.1.1', '11.0.0.1', '100.63.255.255', '100.128.0.1', '172.15.255.255', '172.32.0.1'],
  ...['192.167.255.255', '198.20.0.1', '223.255.255.255', '2606:4700:4700::1111', '2a00:1450:4001::1'],
];

/** A resolver that gives these addresses, and remembers what it was asked. */
const knows = (...addresses: string[]) => {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve };
};
const blocked = { name: 'BlockedDestinationError' };

describe('a destination', () => {
  // rule: delivery.2
  it.each(Object.entries(hidden))('is not public: %s (%s)', async (_, addresses) => {
    expect(isPublic('')).toBe(false);
    for (const address of addresses.split(' ')) {
      expect([address, isPublic(address)]).toEqual([address, false]);
      const { resolve } = knows('8.8.8.8', address);
      await expect(destinationOf('https://dealer.example/', false, resolve)).rejects.toMatchObject(blocked);
    }
  });

  it.each(open)('is public: %s', async (address) => {
    expect(isPublic(address)).toBe(true);
    const { resolve, asked } = knows(address);
    const { addresses } = await destinationOf('https://dealer.example:8443/hooks?a=1', false, resolve);
    expect([addresses.map((each) => each.address), asked]).toEqual([[address], ['dealer.example']]);
  });

  it.each([
    ...['http://dealer.example/', 'ftp://dealer.example/', 'file:///etc/passwd', 'dealer.example', ''],
    ...['https://user@dealer.example/', 'https://:word@dealer.example/', 'https://127.0.0.1/'],
    ...['https://127.1/', 'https://2130706433/', 'https://0x7f.0.0.1/', 'https://0177.0.0.1/', 'https://0/'],
    ...['https://１２７.0.0.1/', 'https://[::1]/', 'https://[::ffff:169.254.169.254]/'],
    'https://169.254.169.254/latest/meta-data',
  ])('is refused without a look-up: "%s"', async (url) => {
    expect(urlProblem(url, false)).toEqual(expect.any(String));
    const { resolve, asked } = knows('8.8.8.8');
    await expect(destinationOf(url, false, resolve)).rejects.toMatchObject(blocked);
    expect(asked).toEqual([]);
  });

  it.each(['localhost', 'LOCALHOST', 'a.localhost', 'localhost.'])(
    'is blocked by where %s leads',
    async (name) => {
      const { resolve, asked } = knows('127.0.0.1');
      await expect(destinationOf(`https://${name}/`, false, resolve)).rejects.toThrow('127.0.0.1');
      expect(asked).toEqual([name.toLowerCase()]);
    },
  );

  // rule: delivery.2
  it('may be private where that is asked for, but has no user and no other scheme', async () => {
    const { resolve } = knows('127.0.0.1');
    for (const url of ['http://127.0.0.1:8080/', 'http://receiver.test/', 'https://[::1]/']) {
      expect(urlProblem(url, true)).toBeUndefined();
      expect((await destinationOf(url, true, resolve)).addresses).toHaveLength(1);
    }
    for (const url of ['ftp://127.0.0.1/', 'http://user@127.0.0.1/']) {
      expect(urlProblem(url, true)).toEqual(expect.any(String));
    }
  });

  it('without addresses is unreachable, not blocked', async () => {
    const refusal = destinationOf('https://dealer.example/', false, async () => []);
    await expect(refusal).rejects.toThrow('dealer.example');
    await expect(refusal).rejects.not.toMatchObject(blocked);
  });
});
