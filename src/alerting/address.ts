import { lookup as lookupAll } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Where no message is ever sent, whatever a name resolves to: addresses of the link (clouds keep their metadata there), of
 * metadata elsewhere, and what is no address of one host. Loopback and private networks are where receivers of one's own
 * are (decision 121).
 */
const FORBIDDEN: readonly (readonly [string, number])[] = [
  ['169.254.0.0', 16], // link-local, and metadata of most clouds
  ['100.100.100.200', 32], // metadata of Alibaba Cloud
  ['168.63.129.16', 32], // Azure's own
  ['192.0.0.0', 24], // special purposes, and metadata of Oracle's
  ['0.0.0.0', 8],
  ['224.0.0.0', 3], // multicast, reserved, broadcast
  ['fe80::', 10],
  ['fd00:ec2::', 32], // metadata of AWS
  ['fd20:ce::', 32], // metadata of Google
  ['ff00::', 8],
  ['::', 128],
  // Forms in which another address travels.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['2001::', 32],
];

const forbidden = new BlockList();
for (const [net, prefix] of FORBIDDEN) forbidden.addSubnet(net, prefix, isIPv4(net) ? 'ipv4' : 'ipv6');

/** The one address that is connected to: what was judged is what is used. */
export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** The message names no address: it goes into the log. */
export class ForbiddenAddress extends Error {
  constructor() {
    super('alerting.webhook_url leads to a link-local, metadata or multicast address, where nothing is sent');
    this.name = 'ForbiddenAddress';
  }
}

/**
 * Resolves a host once. One forbidden address among several forbids all: who answers for the name may not choose.
 * @param host of a URL, an IPv6 address in brackets
 * @throws ForbiddenAddress, or what the resolver throws
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
  // BlockList reads an IPv4 address that is mapped into IPv6 as what it is.
  const version = isIP(address);
  return version === 0 || forbidden.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
