import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';
import type { Frame } from './frame.ts';

/** A frame of a format that is text all through, as every decoder of UTF-8 reads it. */
export function readableText(frame: Frame): Frame {
  // Of no use in JSON, and between the letters in UTF-16, which nobody here reads.
  if (frame.raw.includes(0)) {
    throw new GatewayError('upstream_unavailable', 'the provider sent a stream that is not text in UTF-8');
  }
  return isUtf8(frame.raw) ? frame : { ...frame, raw: Buffer.from(frame.raw.toString('utf8')) };
}
