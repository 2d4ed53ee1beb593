import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { checkServerIdentity, getCACertificates, type PeerCertificate } from 'node:tls';

import { isLoopbackHost } from '../config/address.ts';
import type { Config } from '../config/schema.ts';

export interface GatewayAddress {
  readonly url: URL;
  readonly tls?: TlsTrust;
}

export interface TlsTrust {
  readonly ca: string[];
  /** Trusts a certificate in `ca` even without its issuer. */
  readonly allowPartialTrustChain: true;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/** @throws Error for an invalid URL, one that would receive keys without TLS, or an unreadable CA file */
export function addressOf(
  text: string,
  { caFile, insecure }: { readonly caFile: string | undefined; readonly insecure: boolean },
): GatewayAddress {
  const url = readUrl(text);
  if (url.protocol === 'http:') {
    if (!insecure && !isLoopbackHost(url.hostname)) {
      throw new Error(
        `${url.origin}: keys would be sent over plain HTTP; use https:// (or SERVER_INSECURE_DEV=true for development)`,
      );
    }
    return { url };
  }
  return {
    url,
    tls: { ca: authorities(caFile), allowPartialTrustChain: true, checkServerIdentity },
  };
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(
      `the gateway URL must be an http or https URL, such as https://gateway.example, not ${text}`,
    );
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new Error('the gateway URL must not contain credentials, a query or a fragment');
  }
  return url;
}

function authorities(caFile: string | undefined): string[] {
  const known = [...getCACertificates('default'), ...getCACertificates('system')];
  return caFile === undefined ? known : [...known, readCa(caFile)];
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`--ca-file: ${file} cannot be read`, { cause });
  }
}

/** Returns the gateway's public URL from a local gateway.yaml, or else the URL of its listener. */
export function configuredAddress(config: Config, caFile: string | undefined): GatewayAddress {
  const { public_url, host, port, tls, insecure_dev } = config.server;
  if (public_url !== undefined) return addressOf(public_url, { caFile, insecure: insecure_dev });
  const reachableHost =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  const scheme = tls.cert_file === undefined ? 'http' : 'https';
  const address = addressOf(`${scheme}://${reachableHost}:${String(port)}`, {
    caFile,
    insecure: insecure_dev,
  });
  if (tls.cert_file === undefined || address.tls === undefined) return address;
  return { url: address.url, tls: pinned(address.tls, tls.cert_file) };
}

/** Trusts the listener's own certificate under any host name. */
function pinned(trust: TlsTrust, certFile: string): TlsTrust {
  let pem: string;
  let own: string;
  try {
    pem = readFileSync(certFile, 'utf8');
    own = new X509Certificate(pem).fingerprint256;
  } catch (cause) {
    throw new Error(`server.tls.cert_file: ${certFile} cannot be read; set --gateway-url`, {
      cause,
    });
  }
  return {
    ...trust,
    ca: [...trust.ca, pem],
    checkServerIdentity: (host, certificate) =>
      certificate.fingerprint256 === own ? undefined : checkServerIdentity(host, certificate),
  };
}
