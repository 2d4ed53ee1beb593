import { isUtf8 } from 'node:buffer';
import type { Frame } from './frame.ts';

/** A frame of a format that is text all through, as every decoder of UTF-8 reads it. */
export function readableText(frame: Frame): Frame {
  return isUtf8(frame.raw) ? frame : { ...frame, raw: Buffer.from(frame.raw.toString('utf8')) };
}
