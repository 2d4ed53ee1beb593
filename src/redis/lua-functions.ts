/** A top-level function of a script, which starts and ends at the start of a line. */
const FUNCTION = /^local function (\w+)\([^]*?\nend$/gm;
const WORD = /[a-z_]\w*/g;

/**
 * Removes unused functions from a Lua script without comments; each would be created at every call. Line numbers stay
 * the same.
 */
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
