/** The head of a rule of Rego v0 with a body: name, arguments, key, value. A value that opens a brace is none. */
const HEAD = /^([A-Za-z_]\w*)(\([^{}]*?\))?(\[[^\]]*\])?(\s*:?=\s*[^{}\s=][^{}]*?)?\s*\{/;
const NEXT_BODY = /^\}\s*\{/;
const ELSE = /^(\}?\s*else\s*(?::?=\s*[^{}\s=][^{}]*?)?)\s*\{/;
const IS_WRITTEN = /\bif\s*\{$/;

/**
 * Rewrites the heads of Rego v0 (`deny[reason] { … }`) as v1 has them, for a look at what rules ask. Heads are found at
 * the beginning of lines: what is written otherwise stays, and parses as neither.
 */
export function asRegoV1(text: string): string {
  let head = '';
  return text
    .split('\n')
    .map((line) => {
      if (NEXT_BODY.test(line)) return line.replace(NEXT_BODY, () => `}\n${head} if {`);
      const other = ELSE.exec(line);
      if (other !== null) return `${other[1] ?? ''} if {${line.slice(other[0].length)}`;
      const found = HEAD.exec(line);
      if (found === null || IS_WRITTEN.test(found[0])) return line;
      const [whole, name = '', args = '', key = '', value = ''] = found;
      const isSet = key !== '' && value === '';
      head = isSet ? `${name} contains ${key.slice(1, -1)}` : `${name}${args}${key}${value}`;
      return `${head} if {${line.slice(whole.length)}`;
    })
    .join('\n');
}
