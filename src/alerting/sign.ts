import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
/** Secret length of Standard Webhooks 1.0, in bytes. */
const LENGTHS = { min: 24, max: 64 } as const;

/** Decodes `whsec_<base64>`. Returns undefined if the secret is invalid. */
export function secretBytes(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const text = secret.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  const isBase64 = withoutPadding(bytes.toString('base64')) === withoutPadding(text);
  return isBase64 && bytes.length >= LENGTHS.min && bytes.length <= LENGTHS.max ? bytes : undefined;
}

function withoutPadding(text: string): string {
  return text.replace(/={1,2}$/, '');
}

/**
 * Returns the headers of one delivery attempt (Standard Webhooks 1.0), without a signature if there is no secret. The
 * id is the same in all attempts, so that receivers can detect duplicates.
 */
export function webhookHeaders(
  message: { readonly id: string; readonly body: string },
  secret: Buffer | undefined,
  unixSeconds: number,
): Record<string, string> {
  const timestamp = String(unixSeconds);
  const headers = { 'webhook-id': message.id, 'webhook-timestamp': timestamp };
  if (secret === undefined) return headers;
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signature = createHmac('sha256', secret).update(signed).digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}
