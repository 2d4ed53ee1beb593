/** What a Content-Type says of how its body is to be read (RFC 9110 section 8.3). */
export interface ContentKind {
  /** Pictures, sounds, files: bytes that are not text. */
  readonly isBinary: boolean;
  /** False where its letters are not ASCII's bytes, so that nobody here can read it. */
  readonly isReadable: boolean;
}

const BINARY =
  /^(?:audio|image|video|font|model)\/(?!svg\+xml)|^application\/(?:octet-stream|pdf|zip|gzip|x-[a-z]*zip2?|x-tar|vnd\.openxmlformats-|vnd\.ms-|msword)/;
const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]*))/gi;
const ASCII_BASED: ReadonlySet<string> = new Set([
  'utf-8',
  'utf8',
  'us-ascii',
  'ascii',
  'iso-8859-1',
  'latin1',
  'windows-1252',
  'cp1252',
]);

export function contentKind(contentType: string | undefined): ContentKind {
  const written = (contentType ?? '').trim().toLowerCase();
  const charsets = [...written.matchAll(CHARSET)].map(([, quoted, plain]) => (quoted ?? plain ?? '').trim());
  return {
    isBinary: BINARY.test(written),
    isReadable: charsets.every((charset) => charset === '' || ASCII_BASED.has(charset)),
  };
}
