import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Whether an entry is an IP address or a CIDR block. */
export function isAddressOrBlock(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = familyOf(address);
  if (family === undefined || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 'ipv4' ? 32 : 128));
}

/** Builds a block list from addresses and CIDR blocks of both families. */
export function blockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = familyOf(address) ?? 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether an address is in a list. An IPv4-mapped IPv6 address counts as IPv4. */
export function isInAddressList(address: string, entries: readonly string[]): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = familyOf(plain);
  if (family === undefined) return false;
  const list = lists.get(entries) ?? blockList(entries);
  lists.set(entries, list);
  return list.check(plain, family);
}

/** Cache of block lists, because every request is checked. */
const lists = new WeakMap<readonly string[], BlockList>();

export function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  return isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
}
