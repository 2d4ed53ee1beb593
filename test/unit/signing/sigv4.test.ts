import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { regionOf, signSigV4 } from '../../../src/signing/sigv4.ts';

const credential = {
  kind: 'sigv4',
  accessKeyId: 'AKIDEXAMPLE000000000',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
} as const;
const authority = 'bedrock-runtime.eu-central-1.amazonaws.com';
const now = new Date('2026-03-04T05:06:07.890Z');

/** Returns the signature of AWS's own signer for the same request. */
async function awsHeaders(
  path: string,
  body: string,
  sessionToken?: string,
  query: Record<string, string> = {},
): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    credentials: { ...credential, ...(sessionToken === undefined ? {} : { sessionToken }) },
    region: 'eu-central-1',
    service: 'bedrock',
    sha256: Sha256,
  });
  const request = {
    method: 'POST',
    protocol: 'https:',
    hostname: authority,
    headers: { host: authority },
    path,
  };
  const signed = await signer.sign({ ...request, query, body }, { signingDate: now });
  const { host: _host, ...headers } = signed.headers;
  return headers;
}

describe('signSigV4', () => {
  it.each([
    ['a plain model id', '/model/anthropic.claude-3-haiku/converse'],
    ['a model id with its colon encoded', '/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse'],
    ['a model id with a bare colon', '/model/anthropic.claude-3-haiku-20240307-v1:0/invoke'],
    [
      'an ARN with encoded slashes',
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.amazon.nova-lite-v1%3A0/converse-stream',
    ],
    ['characters that encodeURIComponent leaves', "/model/a!b'c(d)e*f/converse"],
    ['a trailing slash', '/model/x/'],
  ])('signs %s as the AWS SDK does', async (_, path) => {
    const body = '{"messages":[]}';
    expect(signSigV4({ credential, method: 'POST', authority, path, body: Buffer.from(body), now })).toEqual(
      await awsHeaders(path, body),
    );
  });

  it('signs the session token too', async () => {
    const withToken = { ...credential, sessionToken: 'FwoGZXIvYXdzEBYaD+token/==' };
    const headers = signSigV4({
      credential: withToken,
      method: 'POST',
      authority,
      path: '/model/x/converse',
      body: Buffer.from('{}'),
      now,
    });
    expect(headers).toEqual(await awsHeaders('/model/x/converse', '{}', withToken.sessionToken));
    expect(headers.authorization).toContain('x-amz-security-token');
  });

  it('signs a query in canonical order', async () => {
    const path = '/model/x/converse?b=2%20c&a=1';
    const headers = signSigV4({ credential, method: 'POST', authority, path, body: Buffer.from('{}'), now });
    expect(headers).toEqual(await awsHeaders('/model/x/converse', '{}', undefined, { b: '2 c', a: '1' }));
  });

  it('gives another signature for another body, path or secret', () => {
    const sign = (path: string, body: string, secretAccessKey: string) =>
      signSigV4({
        credential: { ...credential, secretAccessKey },
        method: 'POST',
        authority,
        path,
        body: Buffer.from(body),
        now,
      }).authorization;
    const all = [sign('/a', '{}', 's'), sign('/a', '{ }', 's'), sign('/b', '{}', 's'), sign('/a', '{}', 't')];
    expect(new Set(all).size).toBe(4);
  });

  it('reveals no secret', () => {
    const headers = signSigV4({
      credential,
      method: 'POST',
      authority,
      path: '/x',
      body: Buffer.from('{}'),
      now,
    });
    expect(JSON.stringify(headers)).not.toContain(credential.secretAccessKey);
  });
});

describe('regionOf', () => {
  it.each([
    ['bedrock-runtime.us-west-2.amazonaws.com', 'us-west-2'],
    ['bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['bedrock-runtime.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['bedrock-runtime.ap-south-1.api.aws', 'ap-south-1'],
    ['vpce-0a1b-2c3d.bedrock-runtime.eu-west-1.vpce.amazonaws.com:443', 'eu-west-1'],
    ['localhost:8443', 'us-east-1'],
  ])('reads %s as %s', (host, region) => {
    expect(regionOf(host)).toBe(region);
  });
});
