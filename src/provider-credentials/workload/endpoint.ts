import { isLoopbackHost } from '../../config/address.ts';
import { Refused } from './grant.ts';

const LINK_LOCAL = /^169\.254\.\d{1,3}\.\d{1,3}$/;

/** Reports whether a host, as a URL has it, is an IPv4 address that no router forwards. */
export function isLinkLocal(host: string): boolean {
  return LINK_LOCAL.test(host);
}

/**
 * Reads the address of a cloud's identity endpoint. Over http, anyone on the way could read and replace credentials, so
 * only this machine and the hosts that the cloud documents are asked so.
 * @param isDocumented of a host as a URL has it, with IPv6 in brackets
 * @param hosts those hosts in words
 * @throws Refused for any other address
 */
export function identityEndpoint(
  variable: string,
  address: string,
  isDocumented: (host: string) => boolean,
  hosts: string,
): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '')
    throw new Refused(`${variable} is not the address of an endpoint`);
  const { protocol, hostname } = url;
  if (protocol === 'https:') return url;
  if (protocol === 'http:' && (isLoopbackHost(hostname) || isDocumented(hostname))) return url;
  throw new Refused(`${variable} must be https, or http at a loopback address or ${hosts}`);
}
