import { isLabelCode } from '../characters.ts';
import { afterEscape } from '../json-escapes.ts';
import type { Finding, StreamDetector } from '../finding.ts';
import { createStreamDetector } from '../stream-detector.ts';

/** Finds private host names (docs/personal-data.md), except members in code and files with the same endings. */
export const internalHostDetector: StreamDetector = createStreamDetector(
  findHosts,
  (tail) => nameStart(tail, tail.length) ?? tail.length,
);

/** RFC 1035 section 2.3.4. */
const MAX_NAME_CHARS = 253;

const ENDING =
  /(?:\.(?:internal|local|corp)|localhost(?:\.localdomain)?)(?![\w\u00c0-\u052f-]|\.[\w\u00c0-\u052f-])/gi;

function findHosts(text: string): readonly Finding[] {
  const found: Finding[] = [];
  ENDING.lastIndex = 0;
  for (let match = ENDING.exec(text); match !== null; match = ENDING.exec(text)) {
    const end = ENDING.lastIndex;
    const start = nameStart(text, end);
    if (start === undefined || start > match.index) continue;
    if (match[0].startsWith('.')) {
      if (start === match.index || isFile(text, start, end) || isMember(text, start, end)) continue;
      found.push({ detector: 'network', class: 'network', rule: 'internal_host', start, end });
    } else if (start === match.index || text[match.index - 1] === '.') {
      found.push({ detector: 'network', class: 'network', rule: 'localhost', start, end });
    }
  }
  return found;
}

function nameStart(text: string, end: number): number | undefined {
  let start = end;
  while (start > 0 && isNameCode(text.charCodeAt(start - 1))) {
    if (end - start === MAX_NAME_CHARS) return undefined;
    // Consecutive dots are an ellipsis.
    if (text[start] === '.' && text[start - 1] === '.') break;
    start -= 1;
  }
  start = afterEscape(text, start);
  while (start < end && (text[start] === '.' || text[start] === '-')) start += 1;
  return start < end ? start : undefined;
}

/** Also accepts underscores, which service names may contain. */
function isNameCode(code: number): boolean {
  return isLabelCode(code) || code === 46 || code === 95;
}

/** Files with local settings. */
const OVERRIDE = /^(?:(?:bash|zsh|vim|npm)?rc|\w*(?:config|file)|(?:app)?settings|application)\.local$/i;

/** Recognizes files: `.env.local`, `rc.local` and `conf/site.local`, but not `//nas.local`. */
function isFile(text: string, start: number, end: number): boolean {
  const before = text[start - 1];
  if (before === '.' || OVERRIDE.test(text.slice(start, end))) return true;
  const hasOneDot = text.indexOf('.', start) === text.lastIndexOf('.', end - 1);
  return before === '/' && text[start - 2] !== '/' && hasOneDot;
}

/** Objects in code with a member `local` or `internal`. */
const MEMBER =
  /^(?:this|self|super|cls|obj|object|window|document|module|exports|globalThis)\.|(?:^|\.)storage\.local$/;
/** `specifierNode.local`, `SpanKind.INTERNAL`. */
const CAMEL_CASE =
  /(?:^|\.)(?:[a-z]{2,}[A-Z]\w*\.[a-z]+|(?:(?=[A-Z]*[a-z])[A-Za-z]+|(?=[^\W_]*_)\w+)\.[A-Z]+)$/;
/** `codes.Internal`, `time.Local`, `ErrorKind.Internal`. */
const VALUE = /^(?:[a-z][A-Za-z_]*|(?:[A-Z][a-z]+){2,})\.[A-Z][a-z]+$/;
/** Java packages. */
const PACKAGE = /^(?:(?:com|org|net|edu)\..+|javax?|jdk|sun|kotlinx?|androidx?)\.internal$/;
const IMPORT = /(?<![\w-])(?:import|package|namespace) (?:static )?$/;
const IMPORT_CHARS = 20;

function isMember(text: string, start: number, end: number): boolean {
  if (text[end] === '(' || text[end] === '=' || text[start - 1] === '$') return true;
  if (text.slice(Math.max(0, start - 3), start) === '://') return false;
  const name = text.slice(start, end);
  return (
    MEMBER.test(name) ||
    CAMEL_CASE.test(name) ||
    VALUE.test(name) ||
    PACKAGE.test(name) ||
    IMPORT.test(text.slice(Math.max(0, start - IMPORT_CHARS), start))
  );
}
