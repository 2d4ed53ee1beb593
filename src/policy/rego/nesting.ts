import type { RegoFailure } from './rego-error.ts';
import type { RegoFile } from './thread-messages.ts';

/** Far more nesting than hand-written policies need. Without this limit, only memory would limit OPA. */
const MAX_NESTING = 100;
const NEWLINE = '\n';

/**
 * Returns a failure if brackets are nested too deeply. Checks in one pass before OPA parses the text, which may not be
 * valid Rego. Ignores brackets in strings and comments, but not in expressions of template strings (`$"…{x}…"`).
 */
export function nestingFailure({ name, text }: RegoFile): RegoFailure | undefined {
  /** Open brackets; a template string is stored by its opening quote. */
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
  message: `is nested deeper than ${MAX_NESTING} brackets: move its parts into named rules`,
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

/** Returns the end of a string, or the end of the line if the string is not closed. */
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
