import type { Provider } from '../providers/provider.ts';
import { intendedPath, type RequestedPath } from './intended-path.ts';

/** Segments that every server reads alike: no parameters, escapes, empty segments, or dots at either end. */
const PLAIN = /^(?:\/[A-Za-z0-9_~@:-]+(?:\.[A-Za-z0-9_~@:-]+)*)+$/;
/** Start of a suffix that a lenient server may ignore. */
const TAIL = /[^a-z0-9_-]/;

/** Reports whether every server reads this path the same way. */
export function isPlainlyWritten(path: string): boolean {
  return PLAIN.test(path);
}

/**
 * Reports whether a server might read this path as one that the gateway knows: in another letter case, with
 * another ending, or under another base path.
 */
export function spellsKnownPath(requested: RequestedPath): boolean {
  const { provider, basePath, method } = requested;
  const path = withoutSlashes(requested.path);
  const lower = path.toLowerCase();
  // Ignores the query, which may be why a known path was refused.
  const isRead = (spelling: string, methods: readonly string[] = METHODS): boolean =>
    methods.some((each) => provider.endpoint(each, spelling) !== undefined) ||
    intendedPath({ provider, basePath, method, path: spelling, query: '' }) !== undefined;
  // After a colon a POST may name an action on a model, which is not a spelling of the model's own GET.
  return (
    [path, lower, withVerb(provider, lower)].some((spelling) => isRead(spelling)) ||
    isRead(withoutTails(lower), [method])
  );
}

const METHODS = ['GET', 'POST'] as const;

function withoutTails(path: string): string {
  return path.split('/').map(withoutTail).join('/');
}

function withoutTail(segment: string): string {
  const at = segment.search(TAIL);
  return at < 0 ? segment : segment.slice(0, at);
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Restores the capitals of Google's methods: they follow a colon, and no other path words have capitals. */
function withVerb({ verbs = [] }: Provider, lower: string): string {
  const colon = lower.lastIndexOf(':');
  const written = withoutTail(lower.slice(colon + 1));
  const verb = colon < 0 ? undefined : verbs.find((each) => each.toLowerCase() === written);
  return verb === undefined ? lower : `${lower.slice(0, colon)}:${verb}`;
}
