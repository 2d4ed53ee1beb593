import { lookup as lookupAll } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Addresses that alerts are never sent to, even if a host name resolves to one: link-local (where clouds serve
 * metadata), other metadata addresses, and multicast or reserved ranges. Loopback and private networks are allowed,
 * because people run receivers there (decision 121).
 */
const FORBIDDEN: readonly (readonly [string, number])[] = [
  ['169.254.0.0', 16], // link-local, including most clouds' metadata
  ['100.100.100.200', 32], // Alibaba Cloud metadata
  ['168.63.129.16', 32], // Azure platform services
  ['192.0.0.0', 24], // special purposes, including Oracle Cloud metadata
  ['0.0.0.0', 8],
  ['224.0.0.0', 3], // multicast, reserved, broadcast
  ['fe80::', 10],
  ['fd00:ec2::', 32], // AWS metadata
  ['fd20:ce::', 32], // Google metadata
  ['ff00::', 8],
  ['::', 128],
  // Translation and tunnel prefixes, which embed other addresses.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
];

const forbidden = new BlockList();
for (const [net, prefix] of FORBIDDEN) forbidden.addSubnet(net, prefix, isIPv4(net) ? 'ipv4' : 'ipv6');

/** A checked address, the only one that the connection may use. */
export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** The message omits the address, because it is logged. */
export class ForbiddenAddress extends Error {
  constructor() {
    super('alerting.webhook_url leads to a link-local, metadata or multicast address, which is not allowed');
    this.name = 'ForbiddenAddress';
  }
}

/**
 * Resolves a host once. A single forbidden address rejects the host, so that its DNS server cannot make the gateway
 * connect to one.
 * @param host host of a URL, with IPv6 addresses in brackets
 * @throws ForbiddenAddress, or Error if the host cannot be resolved
 */
export async function pinnedAddress(host: string): Promise<PinnedAddress> {
  const bare = host.replace(/^\[|\]$/g, '');
  const found =
    isIP(bare) === 0 ? await lookupAll(bare, { all: true }) : [{ address: bare, family: isIP(bare) }];
  if (found.some(({ address }) => isForbidden(address))) throw new ForbiddenAddress();
  const [first] = found;
  if (first === undefined) throw new Error('the host of alerting.webhook_url has no address');
  return { address: first.address, family: first.family === 6 ? 6 : 4 };
}

export function isForbidden(address: string): boolean {
  // BlockList also matches IPv4-mapped IPv6 addresses.
  const version = isIP(address);
  return version === 0 || forbidden.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
