import type { RegoFailure } from './rego-error.ts';
import type { RegoFile } from './thread-messages.ts';

/** No policy that people write comes near it; what OPA does with more is bounded by memory alone. */
const MAX_NESTING = 100;
const NEWLINE = '\n';

/**
 * What keeps a file from being read: brackets too deep in each other. One pass, whatever the text: it is looked at
 * before OPA parses it, so it need not be Rego. Strings and comments nest nothing; in a template string (`$"…{x}…"`)
 * only its expressions do.
 */
export function nestingFailure({ name, text }: RegoFile): RegoFailure | undefined {
  /** What is open: a bracket, or a template string by the quote that ends it. */
  const open: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const inside = open.at(-1);
    if (isTemplateQuote(inside)) {
      if (char === inside.slice(1)) open.pop();
      else if (char === '\\') at++;
      else if (char === '{') open.push(char);
    } else if (char === '#') at = endOfQuoted(text, NEWLINE, at);
    else if (char === '$' && isQuote(text.charAt(at + 1))) open.push(text.slice(at, ++at + 1));
    else if (char === '`') at = endOfQuoted(text, char, at);
    else if (char === '"') at = endOfRegoString(text, at);
    else if (char === '(' || char === '[' || char === '{') open.push(char);
    else if (char === ')' || char === ']' || char === '}') open.pop();
    if (open.length > MAX_NESTING) return { ...tooDeep, file: name, ...rowAndColumn(text, at) };
  }
  return undefined;
}

const tooDeep = {
  code: 'gateway_error',
  message: `is nested deeper than ${MAX_NESTING} brackets: give its parts names of their own`,
};

function isQuote(char: string): boolean {
  return char === '"' || char === '`';
}

function isTemplateQuote(open: string | undefined): open is string {
  return open?.startsWith('$') === true;
}

function endOfQuoted(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from + 1);
  return found === -1 ? text.length : found;
}

/** Where the string that begins at `from` ends, on its line at the latest: one that is not closed is no string. */
function endOfRegoString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"' || char === NEWLINE) return at;
    if (char === '\\' && text.charAt(at + 1) !== NEWLINE) at++;
  }
  return text.length;
}

function rowAndColumn(text: string, offset: number): { row: number; column: number } {
  const before = text.slice(0, offset);
  return { row: before.split(NEWLINE).length, column: offset - before.lastIndexOf(NEWLINE) };
}
