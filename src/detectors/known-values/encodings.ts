/** Returns the Base64 digits of bytes that do not depend on the bytes around them, in both alphabets. */
export function base64Within(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    const base64 = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(first, last);
    return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
