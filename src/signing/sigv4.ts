import { createHash, createHmac } from 'node:crypto';
import type { Credential } from '../providers/provider.ts';

export interface SigV4Request {
  readonly credential: Extract<Credential, { kind: 'sigv4' }>;
  readonly method: string;
  /** The `host` header as it will be sent, with its port where that is not the scheme's own. */
  readonly authority: string;
  /** Path and query exactly as they will be sent. */
  readonly path: string;
  /** The body exactly as it will be sent. */
  readonly body: Buffer;
  /** Default: the region that the authority names. */
  readonly region?: string;
  readonly service?: string;
  readonly now?: Date;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const DEFAULT_REGION = 'us-east-1';

/**
 * The headers that sign a request with AWS Signature Version 4 (AWS IAM User Guide, "Create a signed AWS API
 * request"). Signed are host, date, body digest and session token: what the gateway itself sets, so that no
 * proxy on the way can break the signature.
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

/** `bedrock-runtime.eu-west-1.amazonaws.com`, its FIPS, VPC and dual-stack forms -> `eu-west-1`. */
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

/**
 * Each segment of the path as sent, encoded once more: every service but S3 signs an ARN's `%2F` as `%252F`.
 * Dot segments never get here, because paths with them are refused.
 */
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

/** RFC 3986: everything but unreserved characters. */
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
    return text; // not percent-encoding: signed as it stands
  }
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
