/** The head of a rule of Rego v0: name, arguments, key, and what follows. */
const HEAD = /^([A-Za-z_]\w*)(\([^()]*\))?(\[[^\]]*\])?([^]*)$/;
const ELSE = /^(?:\}\s*)?else\b([^]*)$/;
const IS_WRITTEN = /\bif$/;

/**
 * Rewrites the heads of Rego v0 (`deny[reason] { … }`) as v1 has them, for a look at what rules ask. Heads are found at
 * the beginning of lines: what is written otherwise stays, and parses as neither.
 */
export function asRegoV1(text: string): string {
  let head = '';
  return text
    .split('\n')
    .map((line) => {
      const brace = line.indexOf('{');
      const before = line.slice(0, Math.max(0, brace)).trimEnd();
      const body = line.slice(brace + 1);
      if (brace === -1 || before === '') return line;
      if (before === '}') return `}\n${head} if {${body}`;
      const [, other] = ELSE.exec(before) ?? [];
      if (other !== undefined) return isValue(other) ? `${before} if {${body}` : line;
      const [, name = '', args = '', key = '', value = ''] = HEAD.exec(before) ?? [];
      if (name === '' || before.includes('}') || !isValue(value) || IS_WRITTEN.test(before)) return line;
      const isSet = key !== '' && value.trim() === '';
      head = isSet ? `${name} contains ${key.slice(1, -1)}` : `${name}${args}${key}${value}`;
      return `${head} if {${body}`;
    })
    .join('\n');
}

/** Nothing, or `= value` or `:= value`. */
function isValue(text: string): boolean {
  const written = text.trim();
  if (written === '') return true;
  const value = /^:?=/.test(written) ? written.replace(/^:?=/, '').trimStart() : '';
  return value !== '' && !value.startsWith('=');
}
