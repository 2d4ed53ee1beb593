/**
 * Reads one template per line of a template literal. Backslashes are literal, except that `\n` is a line break
 * inside a template.
 */
export function lines(text: TemplateStringsArray): readonly string[] {
  return (text.raw[0] ?? '')
    .split('\n')
    .map((line) => line.trim().replaceAll('\\n', '\n'))
    .filter((line) => line !== '');
}

/**
 * Reads one slot per line: `name: option | option`. An option may be empty, may itself contain slots, and writes a pipe
 * as `¦`.
 */
export function slots(text: TemplateStringsArray): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    lines(text).map((line) => {
      const colon = line.indexOf(':');
      return [
        line.slice(0, colon),
        line
          .slice(colon + 1)
          .split('|')
          .map((option) => option.trim().replaceAll('¦', '|')),
      ];
    }),
  );
}
