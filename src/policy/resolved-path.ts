import type { CallText } from './call.ts';

export function withResolvedPaths(texts: readonly CallText[]): CallText[] {
  const resolved = texts.flatMap((text) => {
    const paths = [...new Set([text.raw, text.normalized])].map(resolvedPath);
    const more = new Set(paths.filter((path) => path !== undefined));
    return [...more].map((path) => ({ ...text, raw: path, normalized: path, isResolved: true as const }));
  });
  return [...texts, ...resolved];
}

/** Longer texts are not treated as paths. */
const MAX_CHARS = 2_048;
const HAS_SEPARATOR = /[/\\]|%(?:25){0,4}(?:2f|5c)/i;
const ESCAPE = /%([0-7][0-9a-f])/gi;
/** Number of decoding rounds; servers decode once or twice. */
const MAX_ROUNDS = 5;
const SCHEME = /^(?:([a-z][a-z0-9+.-]{1,31}):(?=\/)|(file):)/i;
/** Schemes whose paths are on another machine. */
const REMOTE: ReadonlySet<string> = new Set(['http', 'https', 'ws', 'wss']);
/** Device names `//?/C:`, `//./C:` and `//?/UNC/host`, with slashes instead of backslashes. */
const DEVICE = /^\/\/+[?.]\/+(unc\/+)?/i;
/** An administrative share (`//host/c$`), usually of this machine. */
const SHARED_DRIVE = /^(?:\/\/+[^/]+)?\/([a-z])\$(?=\/|$)/i;
const OLD_DRIVE = /^\/*([a-z])\|(?=\/|$)/i;
const DRIVE = /^\/+(?=[a-z]:(?:\/|$))/i;

/**
 * Returns the path that a server may open for a URL or path: decodes escapes, replaces backslashes, removes scheme and
 * host, and resolves dot segments. Returns undefined if nothing changes, or if the text is not a path on this machine.
 */
function resolvedPath(text: string): string | undefined {
  if (text.length > MAX_CHARS || !HAS_SEPARATOR.test(text)) return undefined;
  const isUri = SCHEME.test(text.trimStart());
  if (!isUri && /[\r\n]/.test(text)) return undefined;
  // URI parsers ignore tabs and line breaks.
  const given = isUri ? text.replaceAll(/[\t\r\n]/g, '') : text;
  const plain = decoded(given.trim()).replaceAll('\\', '/').replaceAll('\0', '');
  const [, written, file] = SCHEME.exec(plain) ?? [];
  const scheme = (written ?? file)?.toLowerCase();
  if (scheme !== undefined && REMOTE.has(scheme)) return undefined;
  const path = scheme === undefined ? plain : pathOfUri(plain.slice(scheme.length + 1), scheme);
  const resolved = withoutDots(fromWindows(path)).replace(DRIVE, '');
  return resolved === text ? undefined : resolved;
}

function fromWindows(path: string): string {
  const [device = '', ofServer] = DEVICE.exec(path) ?? [];
  const named = device === '' ? path : (ofServer === undefined ? '/' : '//') + path.slice(device.length);
  return named.replace(SHARED_DRIVE, '/$1:').replace(OLD_DRIVE, '/$1:');
}

function decoded(text: string): string {
  let plain = text;
  for (let round = 0; round < MAX_ROUNDS && plain.includes('%'); round += 1) {
    const next = plain.replace(ESCAPE, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    if (next === plain) break;
    plain = next;
  }
  return plain;
}

/** File schemes whose host is the first folder. In other schemes, the host is not part of the path. */
const FILE_SCHEMES = /^(?!file$).*(?:file|fs|dir|path|local|disk|folder|workspace)/;

function pathOfUri(rest: string, scheme: string): string {
  const path = rest.replace(/[?#].*$/s, '');
  if (!path.startsWith('//')) return `/${path}`;
  return FILE_SCHEMES.test(scheme) ? path.slice(1) : path.replace(/^\/\/[^/]*/, '');
}

/** Resolves dot segments. Keeps leading `..` only in relative paths, whose base is unknown. */
function withoutDots(path: string): string {
  const isAbsolute = path.startsWith('/');
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isAbsolute) kept.push(segment);
  }
  return (isAbsolute ? '/' : '') + kept.join('/');
}
