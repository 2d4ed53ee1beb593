import { createHash, createHmac } from 'node:crypto';
import type { FakeRequest } from './handler.ts';

interface AwsCredential {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** AWS accepts a signature for five minutes either way. */
const MAX_SKEW_MS = 300_000;

/**
 * What AWS would say against a request's signature, or undefined where it is good. Written from the rules and
 * apart from the gateway's signer, over the request as it arrived.
 */
export function signatureFault(request: FakeRequest, known: AwsCredential): string | undefined {
  const { headers } = request;
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const parts = form.exec(headers.authorization ?? '');
  if (parts === null) return 'the authorization header is no AWS4-HMAC-SHA256 signature';
  const [, accessKeyId, day = '', region = '', service = '', names = '', signature] = parts;
  if (accessKeyId !== known.accessKeyId) return 'the security token included in the request is invalid';
  if (service !== 'bedrock') return 'the credential should be scoped to service bedrock';

  const date = headers['x-amz-date'] ?? '';
  const time = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!date.startsWith(day) || !(Math.abs(Date.now() - time) < MAX_SKEW_MS)) return 'the signature expired';

  const signed = names.split(';');
  // HTTP/2 has the host as `:authority`, and SDKs sign it under either name.
  const authority = headers.host ?? headers[':authority'];
  const valueOf = (name: string) =>
    (name === 'host' || name === ':authority' ? authority : headers[name]) ?? '';
  if (!signed.includes('host') && !signed.includes(':authority')) return 'the header host is not signed';
  const mustSign = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  const unsigned = mustSign.find((name) => !signed.includes(name));
  if (unsigned !== undefined) return `the header ${unsigned} is not signed`;
  const token = headers['x-amz-security-token'];
  if (token !== undefined && token !== known.sessionToken) return 'the session token is not known';

  const digest = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
  const bodyDigest = digest(request.body);
  if ((headers['x-amz-content-sha256'] ?? bodyDigest) !== bodyDigest) return 'the body is not the one signed';
  const canonical = [
    request.method,
    request.path.split('/').map(awsEncode).join('/'),
    [...new URLSearchParams(request.query)]
      .map(([k, v]) => `${awsEncode(k)}=${awsEncode(v)}`)
      .sort()
      .join('&'),
    signed.map((name) => `${name}:${valueOf(name).trim()}\n`).join(''),
    names,
    bodyDigest,
  ].join('\n');
  const toSign = `AWS4-HMAC-SHA256\n${date}\n${day}/${region}/${service}/aws4_request\n${digest(canonical)}`;

  const mac = (key: Buffer | string, data: string) => createHmac('sha256', key).update(data).digest();
  const dayKey = mac(`AWS4${known.secretAccessKey}`, day);
  const key = mac(mac(mac(dayKey, region), service), 'aws4_request');
  return mac(key, toSign).toString('hex') === signature
    ? undefined
    : 'the request signature we calculated does not match the signature you provided';
}

/** Encodes all but A-Z a-z 0-9 - . _ ~, as AWS's UriEncode does. */
function awsEncode(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
