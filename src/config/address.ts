import { isIP } from 'node:net';

export interface HostPort {
  /** Without brackets, even for IPv6. */
  readonly host: string;
  readonly port: number;
}

/** Parses `host:port` or `[v6]:port`. Returns undefined for other strings. */
export function parseHostPort(text: string): HostPort | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9._-]{1,253})):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port < 1 || port > 65_535) return undefined;
  if (match?.[1] !== undefined && isIP(host) !== 6) return undefined;
  return { host, port };
}

/** Address of the ext_proc server: a Unix socket or a TCP address. */
export type ExtprocAddress =
  { readonly kind: 'unix'; readonly path: string } | ({ readonly kind: 'tcp' } & HostPort);

/** Parses `unix:/absolute/path` or `host:port`. Returns undefined for other strings. */
export function parseExtprocAddress(text: string): ExtprocAddress | undefined {
  if (text.startsWith('unix:/')) return { kind: 'unix', path: text.slice('unix:'.length) };
  const tcp = parseHostPort(text);
  return tcp && { kind: 'tcp', ...tcp };
}

/** Reports whether a host is a loopback address or `localhost`. `host` may have IPv6 brackets. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost' || bare === '::1') return true;
  return isIP(bare) === 4 && bare.startsWith('127.');
}

/** Reports whether requests to a URL leave the machine unencrypted. */
export function isPlainRemote(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackHost(hostname);
}
