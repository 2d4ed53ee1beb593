import { parsedJson } from '../json/parsed.ts';
import { request as httpsRequest } from 'node:https';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isPlainRemote } from '../config/address.ts';
import { messageOf } from '../errors.ts';
import { request as httpRequest } from '../node-http.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 262_144;
/** Standby nodes redirect to the active node. */
const MAX_REDIRECTS = 2;

/** A response, which may contain secrets, so errors must not quote it. */
export interface VaultAnswer {
  readonly status: number;
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
}

export interface VaultRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  /** Relative to `/v1/`. */
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: object;
}

export interface VaultAddress {
  /** Without a trailing slash. */
  readonly address: string;
  /** In PEM format; read for each connection. */
  readonly ca: () => string | undefined;
}

/**
 * Sends one request to Vault's HTTP API.
 * @throws Error that quotes neither the token nor the answer
 */
export async function askVault({ address, ca }: VaultAddress, request: VaultRequest): Promise<VaultAnswer> {
  let url = new URL(`${address}/v1/${request.path}`);
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send(url, request, ca());
    const { statusCode: status = 0, headers } = answer;
    if (status !== 307 && status !== 308) return { status, body: await jsonOf(answer) };
    answer.destroy();
    url = redirected(url, headers.location);
    if (redirects === MAX_REDIRECTS) throw new Error('Vault redirects too often');
  }
}

function redirected(from: URL, location = ''): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  // The request contains the token, so the target must be as secure as the configured address.
  if (
    to === undefined ||
    !/^https?:$/.test(to.protocol) ||
    (to.protocol === 'http:' && from.protocol !== 'http:')
  )
    throw new Error('Vault redirects to an address that is not https');
  if (isPlainRemote(to.href) && to.host !== from.host)
    throw new Error('Vault redirects to another host over http');
  return to;
}

function send(
  url: URL,
  { method, token, body }: VaultRequest,
  ca: string | undefined,
): Promise<IncomingMessage> {
  const isHttps = url.protocol === 'https:';
  const text = body === undefined ? undefined : JSON.stringify(body);
  const options: RequestOptions & { readonly ca?: string } = {
    method,
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(ca !== undefined && { ca }),
    headers: {
      // Vault may require this header as protection against request forgery.
      'x-vault-request': 'true',
      ...(token !== undefined && { 'x-vault-token': token }),
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      }),
    },
  };
  return new Promise((resolve, reject) => {
    const sent = (isHttps ? httpsRequest : httpRequest)(url, options, resolve);
    sent.on('error', (cause) => {
      const isLate = cause.name === 'AbortError';
      reject(
        new Error(
          `Vault at ${url.host} cannot be reached (${isLate ? 'no answer in 10 s' : messageOf(cause)})`,
        ),
      );
    });
    sent.end(text);
  });
}

async function jsonOf(answer: IncomingMessage): Promise<unknown> {
  if (Number(answer.headers['content-length'] ?? 0) > MAX_BYTES) throw tooLarge(answer);
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) answer.destroy(tooLarge(answer));
  });
  return parsedJson((await buffer(answer)).toString());
}

function tooLarge(answer: IncomingMessage): Error {
  answer.destroy();
  return new Error('Vault sent an answer larger than 256 KiB');
}
