import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';
import { readMediaType } from '../media-type.ts';

/** Control characters, which texts do not contain but UTF-16, archives, images and sound do. */
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1f\x7f]/;
/** Headers of a form part, or of a message in it, that declare an encoding. */
const CODED = /^(?:content-transfer-encoding|content-encoding)[ \t]{0,64}:[ \t]{0,64}(\S{0,64})/gim;
const PLAIN_CODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary', 'identity']);
const CHARSET = /charset[ \t]{0,64}\*?[ \t]{0,64}=[^;\r\n]{0,64}/gi;
/** A field with the charset of the others (HTML), and encoded words in headers (RFC 2047). */
const CODED_FIELDS = /name[ \t]{0,64}=[ \t]{0,64}"?_charset_|=\?[\w.-]{1,64}\?[bq]\?/i;

/**
 * Returns the text of a body other than JSON.
 * @throws GatewayError unsupported_media_type unless all of it is plain UTF-8
 */
export function readableText(body: Buffer): string {
  if (!isUtf8(body)) throw unreadable('it is not UTF-8');
  const text = body.toString('utf8');
  if (CONTROLS.test(text)) throw unreadable('it holds control characters');
  for (const [, coding = ''] of text.matchAll(CODED)) {
    if (!PLAIN_CODINGS.has(coding.toLowerCase())) throw unreadable('a part of it is encoded');
  }
  for (const [named] of text.matchAll(CHARSET)) {
    if (readMediaType(`text/plain;${named}`).charset === 'other') throw unreadable('a part names a charset');
  }
  if (CODED_FIELDS.test(text)) throw unreadable('a part of it is encoded');
  return text;
}

function unreadable(why: string): GatewayError {
  return new GatewayError(
    'unsupported_media_type',
    `the gateway cannot read this body: ${why}; an endpoint that it does not know takes JSON, and text in UTF-8`,
  );
}
