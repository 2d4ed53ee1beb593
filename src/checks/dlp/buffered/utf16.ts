/** True for a body that begins with the byte order mark of UTF-16 or UTF-32. */
export function hasWideMark(body: Buffer): boolean {
  return (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
}

/** Share of the bytes at even, or at odd, offsets that are NUL in a text of plain letters in UTF-16. */
const MOSTLY = 0.9;
const MIN_BYTES = 32;
/** Enough to tell. */
const MAX_BYTES = 1_048_576;

/** True for bytes that are plain letters written in two or four bytes each, whatever they call themselves. */
export function isWide(body: Buffer): boolean {
  const length = Math.min(body.length, MAX_BYTES);
  if (length < MIN_BYTES) return false;
  const nuls = [0, 0];
  const letters = [0, 0];
  for (let at = 0; at < length; at += 1) {
    const byte = body[at] ?? 0;
    const side = at & 1;
    if (byte === 0) nuls[side] = (nuls[side] ?? 0) + 1;
    else if (byte >= 0x20 && byte <= 0x7e) letters[side] = (letters[side] ?? 0) + 1;
  }
  const half = length / 2;
  return [0, 1].some((side) => {
    const other = 1 - side;
    const isSpelling = (letters[other] ?? 0) + (nuls[other] ?? 0) >= MOSTLY * half;
    return (nuls[side] ?? 0) >= MOSTLY * half && (letters[other] ?? 0) >= half / 4 && isSpelling;
  });
}
