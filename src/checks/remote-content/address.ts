import { BlockList, isIP } from 'node:net';

export type Address =
  /** Contains the data itself (`data:`). */
  | { readonly kind: 'inline' }
  /** The host in lowercase ASCII, IPv4 in decimal, without trailing dots or IPv6 brackets. */
  | { readonly kind: 'web'; readonly host: string }
  /** In the provider's own cloud storage. */
  | { readonly kind: 'stored' }
  /** Has another scheme, is not a URL, or is parsed differently by different parsers. */
  | { readonly kind: 'unclear' };

/** Excludes user names, percent signs, backslashes and non-ASCII hosts, on which URL parsers disagree. */
const PLAIN = /^https?:\/\/(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?(?=[/?#]|$)/i;

export function readAddress(written: string): Address {
  if (/^data:/i.test(written)) return { kind: 'inline' };
  if (/^(?:gs|s3):\/\//i.test(written)) return { kind: 'stored' };
  const host = PLAIN.exec(written)?.[1];
  return host === undefined ? { kind: 'unclear' } : hostAddress(host);
}

/** Normalizes the host by the URL standard, in which decimal, octal and hexadecimal numbers are IPv4 addresses. */
function hostAddress(host: string): Address {
  const url = `http://${host}/`;
  if (!URL.canParse(url)) return { kind: 'unclear' };
  const { hostname } = new URL(url);
  return { kind: 'web', host: withoutDots(hostname.replace(/^\[(.*)\]$/, '$1')) };
}

function withoutDots(host: string): string {
  let end = host.length;
  while (host.endsWith('.', end)) end--;
  return host.slice(0, end);
}

/** Local and private networks (IANA special-purpose address registries). */
const INSIDE = new BlockList();
const V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure DNS and platform services.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** IPv4-translated, NAT64, 6to4 and Teredo addresses lead to the IPv4 address that they contain. */
const V6 = [
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2002::/16',
  // Segment routing (SRv6 SIDs).
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];
for (const network of [...V4, ...V6]) {
  const [address = '', prefix = ''] = network.split('/');
  INSIDE.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
}

/** Names that resolve only inside a network; starting with `nip.io`, names that can resolve to any address. */
const INSIDE_NAMES =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa|svc|consul|nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|traefik\.me|rbndr\.us|1u\.ms)$/;

/** Reports whether a host from `readAddress` is on this machine or inside a network. */
export function isInsideHost(host: string): boolean {
  const family = isIP(host);
  if (family !== 0) return INSIDE.check(host, family === 4 ? 'ipv4' : 'ipv6');
  return !host.includes('.') || INSIDE_NAMES.test(host);
}

/** @param allowed host names, or `.name` for all subdomains */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  return allowed.some((name) => (name.startsWith('.') ? host.endsWith(name) : host === name));
}
