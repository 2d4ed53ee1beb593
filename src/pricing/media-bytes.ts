/** Decodes standard Base64, with or without line breaks. Returns undefined if decoders might disagree. */
export function decodeBase64(data: string): Buffer | undefined {
  const joined = data.includes('\n') || data.includes('\r') ? data.replace(/[\r\n]+/g, '') : data;
  // Node accepts both alphabets; other decoders drop foreign characters.
  if (joined.includes('-') || joined.includes('_')) return undefined;
  const padding = joined.endsWith('==') ? 2 : joined.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(joined, 'base64');
  // A decoder that skips or stops at an invalid character returns fewer bytes.
  return bytes.length === Math.floor(((joined.length - padding) * 3) / 4) ? bytes : undefined;
}

/** Recognizes documents that cannot be audio, although they may be compressed: PDF, zipped and older office formats. */
export function hasDocumentMagic(bytes: Buffer): boolean {
  return (
    startsWith(bytes, '%PDF-') || startsWith(bytes, 'PK\x03\x04') || startsWith(bytes, '\xd0\xcf\x11\xe0')
  );
}

/** Recognizes UTF-8 text without control characters other than white space, unless it may be PDF, PostScript or RTF. */
export function isPlainText(bytes: Buffer): boolean {
  if (bytes.includes('%PDF') || startsWith(bytes, '%!') || startsWith(bytes, '{\\rtf')) return false;
  const text = bytes.toString('utf8');
  return !/[\0-\x08\x0e-\x1f\ufffd]/.test(text);
}

const SOUND_STARTS = [
  'fLaC',
  'OggS',
  'ID3',
  '#!AMR',
  'caff',
  '.snd',
  'MThd',
  'RF64',
  'wvpk',
  'MAC ',
] as const;

export function isSoundFile(bytes: Buffer): boolean {
  if (SOUND_STARTS.some((start) => startsWith(bytes, start))) return true;
  const form = bytes.toString('latin1', 8, 12);
  if (startsWith(bytes, 'RIFF') && form === 'WAVE') return true;
  if (startsWith(bytes, 'FORM') && form.startsWith('AIF')) return true;
  if (bytes.toString('latin1', 4, 8) === 'ftyp' && /^(?:M4A|M4B)/.test(form)) return true;
  // MPEG and AAC frames start with eleven set bits.
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;
}

export function startsWith(bytes: Buffer, start: string): boolean {
  return bytes.toString('latin1', 0, start.length) === start;
}
