import type { Provider } from '../providers/provider.ts';
import { meantPath, type AskedPath } from './meant-path.ts';

/** Segments that every server reads alike: no parameters, escapes or dots at an end, and none that is empty. */
const PLAIN = /^(?:\/[A-Za-z0-9_~@:-]+(?:\.[A-Za-z0-9_~@:-]+)*)+$/;
/** Behind what a lenient server may end a segment. */
const TAIL = /[^a-z0-9_-]/;

/** True for a path that no two servers read in different ways. */
export function isPlainlyWritten(path: string): boolean {
  return PLAIN.test(path);
}

/**
 * True where a server might read this path as one that the gateway knows: in another letter case, with another
 * ending, or behind another base path.
 */
export function spellsKnownPath(asked: AskedPath): boolean {
  const { provider, basePath, method } = asked;
  const path = withoutSlashes(asked.path);
  const lower = path.toLowerCase();
  // Without the query, which may be why a known path was refused.
  const isRead = (spelling: string, methods: readonly string[] = METHODS): boolean =>
    methods.some((each) => provider.endpoint(each, spelling) !== undefined) ||
    meantPath({ provider, basePath, method, path: spelling, query: '' }) !== undefined;
  // Behind a colon may stand what a POST does to a model, which is no spelling of the model's own GET.
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

/** Google's methods stand behind a colon, and are the only words in paths that have capitals. */
function withVerb({ verbs = [] }: Provider, lower: string): string {
  const colon = lower.lastIndexOf(':');
  const written = withoutTail(lower.slice(colon + 1));
  const verb = colon < 0 ? undefined : verbs.find((each) => each.toLowerCase() === written);
  return verb === undefined ? lower : `${lower.slice(0, colon)}:${verb}`;
}
