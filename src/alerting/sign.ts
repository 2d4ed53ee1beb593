import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks 1.0: 24 to 64 bytes. */
const LENGTHS = { least: 24, most: 64 } as const;

/** The bytes of `whsec_<base64>`; undefined where it is no such secret. */
export function secretBytes(written: string): Buffer | undefined {
  if (!written.startsWith(PREFIX)) return undefined;
  const text = written.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  const isBase64 = withoutPadding(bytes.toString('base64')) === withoutPadding(text);
  return isBase64 && bytes.length >= LENGTHS.least && bytes.length <= LENGTHS.most ? bytes : undefined;
}

/** What pads base64 is two characters at most. */
function withoutPadding(text: string): string {
  return text.replace(/={1,2}$/, '');
}

/**
 * The headers of one attempt to deliver a message (Standard Webhooks 1.0). The id stays the same for all attempts, so that
 * a receiver knows a repeat; without a secret there is no signature.
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
