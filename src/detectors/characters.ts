export function isDigitCode(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Recognizes Latin, Greek and Cyrillic letters. In other scripts, text may follow a name without a space. */
export function isLetterCode(code: number): boolean {
  if (code < 0xc0) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
  return code < 0x530 && (code < 0x250 || code >= 0x370) && code !== 0xd7 && code !== 0xf7;
}

export function isWordCode(code: number): boolean {
  return isDigitCode(code) || code === 95 || (code < 0x80 && isLetterCode(code));
}

export function isLabelCode(code: number): boolean {
  return isLetterCode(code) || isDigitCode(code) || code === 45;
}
