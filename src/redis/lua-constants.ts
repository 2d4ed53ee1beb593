const DECLARATION = /^local ([A-Z_]+(?:, [A-Z_]+)*) = (.+)$/;
const VALUES = /'[^']*'|[^',]+/g;
const LITERAL = /^(?:'[^'\\]*'|[\d.()+*/ -]+)$/;
/** Tokens that are kept, comments, and names. Unterminated strings are skipped once. */
const TOKENS = /'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|--.*|\b[A-Z_]+\b/g;

/**
 * Replaces constants in a Lua script (`local NAME, OTHER = 1, '<Bd'` at the start of a line, names in capitals) by
 * their values and removes comments. Otherwise every function that uses an outer name captures it each time it is
 * created, which is at every call. Line numbers stay the same.
 * @throws Error if a name has two values
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

/** Returns the constants that a line declares. */
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
