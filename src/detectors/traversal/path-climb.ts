import type { Detector } from '../finding.ts';
import { ANY_SLASH } from './climb.ts';
import { DOT } from './climbing-forms.ts';

/** Linux `PATH_MAX`. */
const MAX_CHARS = 4_096;
const ANY_DOT = new RegExp(DOT, 'gi');
/** Two consecutive dots, or the start of an obfuscated dot. */
const MAY_CLIMB = /\.\.|[%&\\\uff0e\u2024\ufe52\u00c0]|0x/i;

/** `--file=` on command lines, and curl's `@`. */
const OPTION = /^(?:-{0,2}[\w.-]{1,64}=|@)(?=[^=])/;
const SCHEME = /^([a-z][a-z0-9+.-]{1,31}):(?:(\/\/)(?!\/))?/i;
/** Schemes with paths relative to a host. */
const REMOTE: ReadonlySet<string> = new Set(['http', 'https', 'ws', 'wss', 'ftp', 'sftp']);
const DRIVE = /^\/?[a-z]:/i;
/** `~`, `$HOME`, `${workspaceFolder}`, `%USERPROFILE%`: folders known only to the server. */
const VARIABLE = /^(?:~[\w.-]{0,64}|\$\w{1,64}|\$\{[^/{}]{1,64}\}|\$\([^/()]{1,64}\)|%\w{1,64}%)(?=\/|$)/;

/** `..`, with parts that servers strip: white space, line ends, a path parameter. */
const UP = /^\.\.(?:[\s\0]|%0[0ad])*(?:;.*)?$/is;
/** Filters that remove `../` once turn `....//` and `..././` into `../`. */
const REMNANT = /(?<![^/])(?:\.{4}\/|\.{3}\/\.\/)/g;
/** A climb at the start of a word in a sentence, a command or code. */
const WORD_CLIMB = /[\s"'`(<=,:]\.\.$/;
/** Before a climb, sentences and code have more words than a folder name. */
const MAX_WORDS_BEFORE = 2;
/** A quoted module path or a link, as the last path in code. */
const REFERENCE = /["'`(<]\.{1,2}[\\/][^"'`()<>]{0,1024}["'`)>][^\\/]*$/;

/**
 * Finds texts that are a path out of its starting folder: a path that climbs above its start, or an absolute path that
 * ends outside its first folder. Ignores paths in sentences, code, commands and JSON.
 */
export const findPathClimb: Detector = (text) =>
  text.length <= MAX_CHARS && MAY_CLIMB.test(text) && climbsOut(text)
    ? [{ detector: 'path_climb', class: 'traversal', rule: 'climbs_out', start: 0, end: text.length }]
    : [];

function climbsOut(text: string): boolean {
  const bare = unquoted(text.trim()).replace(OPTION, '');
  if (isJson(bare)) return false;
  const reference = REFERENCE.exec(bare);
  const path = reference === null || reference.index === 0 ? bare : bare.slice(0, reference.index);
  return leaves(startOf(path.replace(ANY_DOT, '.')));
}

function unquoted(text: string): string {
  const quote = text[0] ?? '';
  return text.length > 1 && `"'\``.includes(quote) && text.endsWith(quote) ? text.slice(1, -1).trim() : text;
}

function isJson(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Start {
  readonly segments: readonly string[];
  /** Whether the path begins at a root and so must not leave its first folder. */
  readonly isAbsolute: boolean;
}

function startOf(path: string): Start {
  const [whole, scheme, slashes] = SCHEME.exec(path) ?? [];
  if (whole !== undefined && scheme !== undefined) {
    const rest = plainSlashes(path.slice(whole.length));
    return ofScheme(scheme.toLowerCase(), slashes !== undefined, rest);
  }
  const plain = plainSlashes(path);
  const variable = VARIABLE.exec(plain);
  if (variable !== null) return { segments: segmentsOf(plain.slice(variable[0].length)), isAbsolute: false };
  const rest = plain.replace(DRIVE, '');
  return { segments: segmentsOf(rest), isAbsolute: rest.startsWith('/') };
}

/** @param hasHost whether a host may precede the path; hosts of `file:` URLs are ignored */
function ofScheme(scheme: string, hasHost: boolean, rest: string): Start {
  if (scheme === 'file') {
    const path = hasHost ? rest.replace(/^[^./][^/]*(?=\/)/, '') : rest;
    const below = path.replace(DRIVE, '');
    return { segments: segmentsOf(below), isAbsolute: below.startsWith('/') };
  }
  if (REMOTE.has(scheme)) {
    const path = rest.replace(/[?#].*$/s, '').replace(/^\/?[^/]*/, '');
    return { segments: segmentsOf(path), isAbsolute: false };
  }
  return { segments: segmentsOf(rest), isAbsolute: hasHost || rest.startsWith('/') };
}

const plainSlashes = (path: string): string => path.replace(ANY_SLASH, '/').replace(REMNANT, '../');

const segmentsOf = (path: string): string[] =>
  path.split('/').filter((segment) => segment !== '' && segment !== '.');

function leaves({ segments, isAbsolute }: Start): boolean {
  const kept: string[] = [];
  let words = 0;
  let isOut = false;
  for (const segment of segments) {
    if (!UP.test(segment)) {
      words += segment.split(/\s+/).length - 1;
      if (WORD_CLIMB.test(segment) && words > MAX_WORDS_BEFORE) return false;
      kept.push(segment);
      continue;
    }
    if (kept.pop() === undefined) return true;
    if (isAbsolute && kept.length === 0) isOut = true;
  }
  return isOut && kept[0] !== segments[0];
}
