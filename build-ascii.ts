/**
 * Rewrites a module's code in ASCII with the same meaning. V8 keeps the code of every module in memory, and a single
 * character beyond Latin-1 doubles its size.
 */
import { parseAst } from 'rolldown/parseAst';

/** Replaces a part of the code. Offsets are in UTF-16 code units. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const BEYOND_ASCII = /[^\0-\x7F]+/g;

export function inAscii(code: string): string {
  if (code.search(BEYOND_ASCII) === -1) return code;
  const edits = [...editsOf(parseAst(code), code)].toSorted((a, b) => a.start - b.start);
  let ascii = '';
  let at = 0;
  for (const { start, end, text } of edits) {
    ascii += escaped(code.slice(at, start)) + text;
    at = end;
  }
  return ascii + escaped(code.slice(at));
}

/** Yields edits where escapes would change the meaning: regexes (`source` may be read) and templates (may be raw). */
function* editsOf(node: unknown, code: string): Generator<Edit> {
  if (typeof node !== 'object' || node === null) return;
  if (hasRange(node)) {
    const { start, end } = node;
    const source = code.slice(start, end);
    if (source.search(BEYOND_ASCII) === -1) return;
    if (node.type === 'TaggedTemplateExpression' && !source.startsWith('String.raw'))
      throw new Error(`escaping would change the parts that a template tag gets: ${source}`);
    if (node.type === 'TemplateElement') {
      yield { start, end, text: source.replaceAll(BEYOND_ASCII, (run) => `\${"${escaped(run)}"}`) };
    } else if (node.regex) {
      const { pattern, flags } = node.regex;
      yield { start, end, text: `new RegExp(${escaped(JSON.stringify(pattern))}, "${flags}")` };
    }
  }
  for (const child of Object.values(node)) yield* editsOf(child, code);
}

interface RangedNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

function hasRange(node: object): node is RangedNode {
  return 'type' in node && 'start' in node;
}

/** Escapes string literals, names and comments. */
function escaped(code: string): string {
  const afterBackslash = /\\[^\0-\x7F]/.exec(code);
  if (afterBackslash) throw new Error(`a backslash before a character beyond ASCII: ${afterBackslash[0]}`);
  return code.replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
