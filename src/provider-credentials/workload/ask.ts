import { parsedJson } from '../../json/parsed.ts';
import type * as z from 'zod';
import { isLoopbackHost } from '../../config/address.ts';
import { SourceError } from '../source.ts';

export interface Granted {
  readonly value: string;
  /** Unix ms; undefined if unknown. */
  readonly endsAt: number | undefined;
}

export const REQUEST_MS = 8_000;

/** Asks a cloud for a new credential. Only `SourceError` messages are shown, because others may quote an answer. */
export type Grant = () => Promise<Granted>;

export const MAX_ANSWER_BYTES = 262_144;

interface Asking {
  readonly method?: 'GET' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws SourceError for a status other than 2xx, or a large answer */
export async function askText(url: URL, { method = 'GET', headers }: Asking): Promise<string> {
  const signal = AbortSignal.timeout(REQUEST_MS);
  // A redirect could send the headers elsewhere.
  const reply = await boundedFetch(url.href, { method, headers, signal, redirect: 'manual' });
  if (!reply.ok) throw new SourceError(`${url.host} answered ${String(reply.status)}`);
  return reply.text();
}

/** @throws SourceError for an unexpected answer, without quoting it */
export async function askJson<Schema extends z.ZodType>(
  url: URL,
  schema: Schema,
  asking: Asking,
): Promise<z.infer<Schema>> {
  const read = schema.safeParse(parsedJson(await askText(url, asking)));
  if (!read.success) throw new SourceError(`${url.host} sent no credential`);
  return read.data;
}

type FetchOptions = Pick<RequestInit, 'method' | 'headers' | 'body' | 'signal' | 'redirect'>;

/**
 * Fetches a response including its whole body.
 * @throws SourceError if the body is larger than 256 KiB
 */
export async function boundedFetch(url: string, options: FetchOptions): Promise<Response> {
  const { status, headers, body } = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new SourceError('an answer larger than 256 KiB');
    chunks.push(chunk);
  }
  return new Response(body === null ? null : Buffer.concat(chunks), { status, headers });
}

const LINK_LOCAL = /^169\.254\.\d{1,3}\.\d{1,3}$/;

/** Reports whether a host is a link-local IPv4 address. Routers do not forward packets to these. */
export function isLinkLocal(host: string): boolean {
  return LINK_LOCAL.test(host);
}

/**
 * Parses the URL of a cloud's identity endpoint. Over http, others could read and replace credentials, so http is
 * allowed only for this machine and for hosts that the cloud documents.
 * @param isDocumented receives the host of a URL, with IPv6 in brackets
 * @param hosts description of those hosts, for the error message
 * @throws SourceError for any other address
 */
export function identityEndpoint(
  variable: string,
  address: string,
  isDocumented: (host: string) => boolean,
  hosts: string,
): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '')
    throw new SourceError(`${variable} is not a valid endpoint URL`);
  const { protocol, hostname } = url;
  if (protocol === 'https:') return url;
  if (protocol === 'http:' && (isLoopbackHost(hostname) || isDocumented(hostname))) return url;
  throw new SourceError(`${variable} must be https, or http at a loopback address or ${hosts}`);
}
