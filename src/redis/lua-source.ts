const DECLARATION = /^local ([A-Z_]+(?:, [A-Z_]+)*) = (.+)$/;
const VALUES = /'[^']*'|[^',]+/g;
const LITERAL = /^(?:'[^'\\]*'|[\d.()+*/ -]+)$/;
const TOKENS = /'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|--.*|\b[A-Z_]+\b/g;

/**
 * Replaces constants in a Lua script (`local NAME, OTHER = 1, '<Bd'` at the start of a line, upper-case names) with
 * their values, because functions would capture these names on every call. Removes comments; keeps line numbers.
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
        if ((known.get(name) ?? value) !== value) throw new Error(`${name} has two values in one script`);
        known.set(name, value);
      }
      return constants.length > 0 ? '' : written.trimEnd();
    })
    .join('\n');
}

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

/** A top-level function, which starts and ends at the start of a line. */
const FUNCTION = /^local function (\w+)\([^]*?\nend$/gm;
const WORD = /[a-z_]\w*/g;

/** Removes unused functions from a script without comments, because every call creates them. Keeps line numbers. */
export function withoutUnused(script: string): string {
  const uses = wordsIn(script);
  const functions = Array.from(script.matchAll(FUNCTION), ([text, name = '']) => ({
    text,
    name,
    words: wordsIn(text),
  }));
  const unused = new Set<string>();
  for (let found = true; found;) {
    found = false;
    for (const { text, name, words } of functions) {
      if (unused.has(text) || uses.get(name) !== words.get(name)) continue;
      unused.add(text);
      for (const [word, times] of words) uses.set(word, (uses.get(word) ?? 0) - times);
      found = true;
    }
  }
  return script.replace(FUNCTION, (text) => (unused.has(text) ? text.replace(/[^\n]+/g, '') : text));
}

function wordsIn(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const word of text.match(WORD) ?? []) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}
