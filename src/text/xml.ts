const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
};

/**
 * Escapes a text for an XML 1.0 element or attribute, which excludes most control characters and lone
 * surrogates.
 * @param unshown characters to replace (flag `g`), including those that XML excludes
 */
export function xmlText(text: string, unshown: RegExp): string {
  return text
    .toWellFormed()
    .replace(unshown, '\uFFFD')
    .replace(/[&<>"'\n]/g, (one) => ENTITIES[one] ?? one);
}
