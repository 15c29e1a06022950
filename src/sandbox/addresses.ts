import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Whether an address is one of, or inside one of, the approved addresses and blocks. */
export function isAllowed(address: string, allowed: readonly string[]): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = familyOf(plain);
  return family !== undefined && listed(allowed).check(plain, family);
}

function listed(allowed: readonly string[]): BlockList {
  const list = lists.get(allowed) ?? blockList(allowed);
  lists.set(allowed, list);
  return list;
}

/** Made once for each list of facts. */
const lists = new WeakMap<readonly string[], BlockList>();

/** Throws a RangeError on an entry that is neither an address nor a CIDR block. */
export function blockList(allowed: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of allowed) {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = familyOf(address);
    if (family === undefined || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) {
      throw new RangeError(`not an IP address or CIDR block: ${JSON.stringify(entry)}`);
    }
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  return isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
}
