import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { GatewayError } from '../errors.ts';

/** Must equal Envoy's buffer limit for uncompressed answers. */
const MAX_DECODED_BYTES = 16_777_216;

const DECODERS = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const;

/**
 * Decodes an answer that the provider compressed although it was asked not to (RFC 9110 section 8.4).
 * @throws GatewayError upstream_unavailable if the coding is unknown, or decoding fails
 */
export async function decodeContent(body: Buffer, coding: string): Promise<Buffer> {
  const name = coding.trim().toLowerCase();
  if (name === 'identity' || body.length === 0) return body;
  if (!Object.hasOwn(DECODERS, name)) throw undecodable();
  try {
    return await DECODERS[name as keyof typeof DECODERS](body, { maxOutputLength: MAX_DECODED_BYTES });
  } catch (cause) {
    throw undecodable(cause);
  }
}

function undecodable(cause?: unknown): GatewayError {
  return new GatewayError('upstream_unavailable', 'the provider sent an answer that cannot be decoded', {
    cause,
  });
}
