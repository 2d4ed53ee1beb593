const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
};

/**
 * A text in an element or attribute of XML 1.0, which has no place for most control characters and none for lone
 * surrogates.
 * @param unshown single characters that are replaced, with the flag `g`; those that XML has no place for must be among them
 */
export function xmlText(text: string, unshown: RegExp): string {
  return text
    .toWellFormed()
    .replace(unshown, '\uFFFD')
    .replace(/[&<>"'\n]/g, (one) => ENTITIES[one] ?? one);
}
