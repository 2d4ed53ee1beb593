import type { CallText } from './call.ts';
import { resolvedPath } from './resolved-path.ts';

/** Adds the resolved forms of their paths to the texts of an MCP call. */
export function withResolvedPaths(texts: readonly CallText[]): CallText[] {
  const resolved = texts.flatMap((text) => {
    const paths = [...new Set([text.raw, text.normalized])].map(resolvedPath);
    const more = new Set(paths.filter((path) => path !== undefined));
    return [...more].map((path) => ({ ...text, raw: path, normalized: path, isResolved: true as const }));
  });
  return [...texts, ...resolved];
}
