import { createHash, createHmac } from 'node:crypto';
import type { Credential } from '../providers/dialect.ts';

export interface SigV4Request {
  readonly credential: Extract<Credential, { kind: 'sigv4' }>;
  readonly method: string;
  /** The `host` header as sent, including a non-default port. */
  readonly authority: string;
  /** Path and query, exactly as sent. */
  readonly path: string;
  /** Exactly as sent. */
  readonly body: Buffer;
  /** Default: the region in the authority. */
  readonly region?: string;
  readonly service?: string;
  readonly now?: Date;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const DEFAULT_REGION = 'us-east-1';

/**
 * Returns the headers that sign a request with AWS Signature Version 4 (AWS IAM User Guide, "Create a signed AWS API
 * request"). Signs only headers set by the gateway, so that proxies cannot break the signature.
 */
export function signSigV4(request: SigV4Request): Record<string, string> {
  const { credential, authority, body, service = 'bedrock', now = new Date() } = request;
  const region = request.region ?? regionOf(authority);
  const date = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const signed: Record<string, string> = {
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': date,
    ...(credential.sessionToken === undefined ? {} : { 'x-amz-security-token': credential.sessionToken }),
  };
  const scope = `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
  const canonical = canonicalRequest(request, { host: authority, ...signed });
  const toSign = [ALGORITHM, date, scope, sha256(canonical.text)].join('\n');
  const key = scope
    .split('/')
    .reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${credential.secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const authorization =
    `${ALGORITHM} Credential=${credential.accessKeyId}/${scope}, ` +
    `SignedHeaders=${canonical.signedHeaders}, Signature=${signature}`;
  return { ...signed, authorization };
}

/**
 * Returns `eu-west-1` for `bedrock-runtime.eu-west-1.amazonaws.com` and its FIPS, VPC and dual-stack forms; else
 * `us-east-1`.
 */
export function regionOf(authority: string): string {
  return /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(authority)?.[1] ?? DEFAULT_REGION;
}

interface CanonicalRequest {
  readonly text: string;
  readonly signedHeaders: string;
}

function canonicalRequest(
  { method, path }: SigV4Request,
  headers: Readonly<Record<string, string>>,
): CanonicalRequest {
  const names = Object.keys(headers).sort();
  const mark = path.indexOf('?');
  const lines = [
    method,
    canonicalPath(mark < 0 ? path : path.slice(0, mark)),
    mark < 0 ? '' : canonicalQuery(path.slice(mark + 1)),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    headers['x-amz-content-sha256'],
  ];
  return { text: lines.join('\n'), signedHeaders: names.join(';') };
}

/** Encodes each segment again, because all services but S3 sign `%2F` as `%252F`. Dot segments are refused earlier. */
function canonicalPath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const trailing = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.map(encode).join('/')}${trailing}`;
}

function canonicalQuery(query: string): string {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const name = equals < 0 ? pair : pair.slice(0, equals);
      const value = equals < 0 ? '' : pair.slice(equals + 1);
      return `${encode(percentDecode(name))}=${encode(percentDecode(value))}`;
    })
    .sort()
    .join('&');
}

/** Encodes everything except unreserved characters (RFC 3986). */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // Not percent-encoded: signed unchanged.
  }
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
