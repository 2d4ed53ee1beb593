import { globMatches } from '../../text/glob.ts';

/** Names are folded so far; servers name no tool longer, and the rest is compared as it stands. */
const MAX_FOLDED_CHARS = 512;
/** Where a word of camelCase begins: `runCommand`, `execSQLQuery`. */
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const SEPARATORS = /[-_./:\s]+/g;
/** What stands between the names of a server and a tool: `mcp__server__tool`, `server.tool`, `server/tool`. */
const SERVER_BEFORE = /^.*(?:__|[./:])/s;
/** `mcp_server_tool`, where a server's name is one word. */
const MCP_BEFORE = /^mcp_[^_]+_/;

/**
 * Compiles names of tools or servers as a rule that restricts means them: case, separators, camelCase and a server's
 * name in front make no difference, so `run_command` is `runCommand` and `mcp__shell__run-command` too. A rule that
 * allows never uses this.
 */
export function foldedMatcher(globs: readonly string[]): (name: string) => boolean {
  const written = globs.map((glob) => glob.toLowerCase());
  const folded = [...new Set(globs.map(fold))];
  const exact = new Set(folded.filter((glob) => !glob.includes('*')).map(squash));
  const starred = folded.filter((glob) => glob.includes('*'));
  return (name) => {
    const plain = name.toLowerCase();
    if (written.some((glob) => globMatches(glob, plain))) return true;
    return (
      name.length <= MAX_FOLDED_CHARS &&
      formsOf(name).some((form) => exact.has(squash(form)) || starred.some((glob) => globMatches(glob, form)))
    );
  };
}

/** The name, and the name without what may stand for a server. */
function formsOf(name: string): readonly string[] {
  const whole = name.normalize('NFKC');
  const folded = fold(whole);
  return [
    ...new Set([folded, folded.replace(MCP_BEFORE, ''), fold(whole.replace(SERVER_BEFORE, ''))]),
  ].filter((form) => form !== '');
}

function fold(name: string): string {
  return name.replace(CAMEL, '_').replace(SEPARATORS, '_').toLowerCase();
}

const squash = (folded: string): string => folded.replaceAll('_', '');
