import { globMatches } from '../../text/glob.ts';

/** In longer names, which servers do not use, only letter case is ignored. */
const MAX_FOLDED_CHARS = 512;
/** Word starts in camelCase: `runCommand`, `execSQLQuery`. */
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const SEPARATORS = /[-_./:\s]+/g;
/** Separators between server and tool: `mcp__server__tool`, `server.tool`, `server/tool`. */
const SERVER_BEFORE = /^.*(?:__|[./:])/s;
/** `mcp_server_tool`, with a server name of one word. */
const MCP_BEFORE = /^mcp_[^_]+_/;

/**
 * Compiles tool names for restricting rules, which ignore case, separators, camelCase and a server prefix:
 * `run_command` matches `runCommand` and `mcp__shell__run-command`. Not for allowing rules.
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
