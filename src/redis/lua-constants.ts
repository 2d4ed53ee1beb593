const DECLARATION = /^local ([A-Z_]+(?:, [A-Z_]+)*) = (.+)$/;
const VALUES = /'[^']*'|[^',]+/g;
const LITERAL = /^(?:'[^'\\]*'|[\d.()+*/ -]+)$/;
/** What is left alone, comments, names. A text that does not end on its line is passed over once. */
const TOKENS = /'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|--.*|\b[A-Z_]+\b/g;

/**
 * Writes constants (`local NAME, OTHER = 1, '<Bd'`, at the beginning of a line, named in capitals) into a Lua script in
 * place of their names, and leaves comments out: a name from outside costs each function that uses it whenever it is made,
 * which is at every call of a script. Lines keep their numbers.
 * @throws Error where a name has two values
 */
export function withConstants(text: string): string {
  const known = new Map<string, string>();
  return text
    .split('\n')
    .map((line) => {
      const written = line.replace(TOKENS, (token) =>
        token.startsWith('--') ? '' : (known.get(token) ?? token),
      );
      const constants = constantsOf(line, written);
      for (const [name, value] of constants) {
        if ((known.get(name) ?? value) !== value) throw new Error(`${name} is two constants of one script`);
        known.set(name, value);
      }
      return constants.length > 0 ? '' : written.trimEnd();
    })
    .join('\n');
}

/** Names and values that a line declares; none where it is no declaration of constants. */
function constantsOf(line: string, written: string): (readonly [string, string])[] {
  const names = DECLARATION.exec(line)?.[1]?.split(', ') ?? [];
  const values = (written.slice(written.indexOf('=') + 1).match(VALUES) ?? [])
    .map((value) => value.trim())
    .filter((value) => LITERAL.test(value));
  if (names.length === 0 || values.length !== names.length) return [];
  return names.map((name, index) => {
    const value = values[index] ?? '';
    return [name, /^(?:'|[\d.]+$)/.test(value) ? value : `(${value})`];
  });
}
