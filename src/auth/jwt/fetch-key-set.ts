import type { JSONWebKeySet, JWK } from 'jose';
import * as z from 'zod';

export interface FetchKeySetOptions {
  /** `zsp.jwks_url`. */
  readonly url: string;
  /** Time limit, including the body. */
  readonly timeoutMs: number;
}

const MAX_BYTES = 256 * 1_024;
const MAX_KEYS = 100;
/** At least 2048 bits (RFC 7518 section 3.3). The upper limit keeps verification fast. */
const RSA_BYTES = { least: 256, most: 1_024 };

const text = z.string().max(4_096);
const keySchema = z.object({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  kid: text.optional(),
  alg: text.optional(),
  use: z.literal('sig').optional(),
  key_ops: z
    .array(text)
    .refine((operations) => operations.includes('verify'))
    .optional(),
  crv: text.optional(),
  x: text.optional(),
  y: text.optional(),
  n: text.optional(),
  e: text.optional(),
});
const setSchema = z.object({ keys: z.array(z.unknown()).max(MAX_KEYS) });

/**
 * Fetches a JWK Set (RFC 7517) and returns its usable keys. Does not follow redirects.
 * @throws Error with a message that contains neither the URL nor the response body
 */
export async function fetchKeySet({ url, timeoutMs }: FetchKeySetOptions): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`zsp.jwks_url answered with status ${String(response.status)}`);
  }
  return readKeySet(await textWithin(response));
}

async function textWithin(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`the key set has more than ${String(MAX_BYTES)} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** @throws Error if the text is not a JWK Set */
export function readKeySet(written: string): JSONWebKeySet {
  const set = setSchema.safeParse(parse(written));
  if (!set.success) throw new Error(`the key set is not a JWK Set with at most ${String(MAX_KEYS)} keys`);
  return { keys: set.data.keys.flatMap((key) => usable(key)) };
}

function parse(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    throw new Error('the key set is not JSON');
  }
}

/** Omits weak and unsupported keys, and private ones, because everyone knows a published private key. */
function usable(key: unknown): JWK[] {
  if (typeof key !== 'object' || key === null || 'd' in key || 'k' in key) return [];
  const read = keySchema.safeParse(key);
  if (!read.success) return [];
  const { kty, crv, n = '' } = read.data;
  const modulusBytes = Buffer.from(n, 'base64url').length;
  const isStrong =
    kty === 'RSA'
      ? modulusBytes >= RSA_BYTES.least && modulusBytes <= RSA_BYTES.most
      : crv === (kty === 'EC' ? 'P-256' : 'Ed25519');
  return isStrong ? [withoutUndefined(read.data)] : [];
}

function withoutUndefined(key: z.output<typeof keySchema>): JWK {
  return Object.fromEntries(Object.entries(key).filter(([, value]) => value !== undefined)) as unknown as JWK;
}
