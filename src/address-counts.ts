const MINUTE_MS = 60_000;
const MAX_ADDRESSES = 20_000;

/** Counts events per client address and minute, in this process, with bounded memory. */
export interface AddressCounts {
  /** Returns the current minute (Unix time / 60). */
  minute(): number;
  /** Returns this minute's count for an address, or `Infinity` if the table is full and lacks the address. */
  get(clientAddress: string): number;
  /** Raises the stored count to `count`. Does nothing if it is higher, or `Infinity`. */
  raise(clientAddress: string, count: number): void;
}

export function createAddressCounts(now: () => number): AddressCounts {
  const counts = new Map<string, number>();
  let current = 0;

  function minute(): number {
    const thisMinute = Math.floor(now() / MINUTE_MS);
    if (thisMinute !== current) {
      current = thisMinute;
      counts.clear();
    }
    return current;
  }

  function get(clientAddress: string): number {
    minute();
    return counts.get(addressGroup(clientAddress)) ?? (counts.size < MAX_ADDRESSES ? 0 : Infinity);
  }

  return {
    minute,
    get,
    raise(clientAddress, count) {
      const before = get(clientAddress);
      if (Number.isFinite(before)) counts.set(addressGroup(clientAddress), Math.max(before, count));
    },
  };
}

/** Groups IPv6 addresses by /64, because one customer owns a whole /64. */
export function addressGroup(clientAddress: string): string {
  if (!clientAddress.includes(':')) return clientAddress;
  const [head = '', tail] = clientAddress.toLowerCase().split('%', 1)[0]?.split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  // An IPv4-mapped IPv6 address counts as the IPv4 address.
  if (groups.at(-1)?.includes('.') === true) return groups.at(-1) ?? clientAddress;
  return `${groups
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
