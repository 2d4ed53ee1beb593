import type { CallText } from './call.ts';
import { resolvedPath } from './resolved-path.ts';

/**
 * Returns the texts of a call of an MCP server, in order, and behind them the paths that they lead to where those are
 * written otherwise.
 */
export function withResolvedPaths(texts: readonly CallText[]): CallText[] {
  const resolved = texts.flatMap((text) => {
    const paths = [...new Set([text.raw, text.normalized])].map(resolvedPath);
    const more = new Set(paths.filter((path) => path !== undefined));
    return [...more].map((path) => ({ ...text, raw: path, normalized: path, isResolved: true as const }));
  });
  return [...texts, ...resolved];
}
