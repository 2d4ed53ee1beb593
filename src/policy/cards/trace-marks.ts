import { hash } from 'node:crypto';
import { globMatches } from '../../text/glob.ts';
import type { TraceStep } from '../call.ts';
import { STEP_TYPES, type TraceMatch } from './card-schema.ts';
import type { Work } from '../../turns.ts';
import { foldedMatcher } from './tool-names.ts';
import { searchFor, searchInTurns } from './text-patterns.ts';

/** A condition on earlier steps. The session stores the mark's name, never a step's text. */
export interface TraceMark {
  readonly name: string;
  readonly isOf: (type: TraceStep['type']) => boolean;
  readonly readsContent: boolean;
  readonly matches: (step: TraceStep) => Work<boolean>;
}

const KEY = /(?:^|,)\s{0,8}(type|tool|provider|content_regex)\s{0,8}:\s{0,8}/g;

/**
 * @param value a mapping, or one line: `type: mcp_tool_response, content_regex: (?i)secret`
 * @param isFolded whether to match other spellings of tool names as well; for restricting rules
 * @throws Error with the problem
 */
export function traceMarkOf(value: TraceMatch | string, isFolded: boolean): TraceMark {
  const match = typeof value === 'string' ? parseLine(value) : value;
  const { type, tool, provider } = match;
  if (Object.keys(match).length === 0)
    throw new Error('is empty: give type, tool, provider or content_regex');
  const search =
    match.content_regex === undefined ? undefined : searchFor({ kind: 'regex', source: match.content_regex });
  const isTool = toolMatcher(tool, isFolded);
  const exact = tool === undefined || isFolded ? [] : ['exact'];
  const parts = [type, tool, provider, match.content_regex, ...exact];
  return {
    name: `trace:${hash('sha256', JSON.stringify(parts), 'hex').slice(0, 16)}`,
    isOf: (stepType) => type === undefined || type === stepType,
    readsContent: search !== undefined,
    *matches(step) {
      if (type !== undefined && type !== step.type) return false;
      if (!isTool(step.tool) || !matchesAny(provider, step.provider)) return false;
      if (search === undefined) return true;
      for (const text of step.content) if ((yield* searchInTurns(search, text)) !== undefined) return true;
      return false;
    },
  };
}

function parseLine(line: string): TraceMatch {
  const keys = [...line.matchAll(KEY)];
  // A pattern may contain text that looks like a key, so content_regex must be last. It extends to the end of the line.
  const pattern = keys.findIndex(([, key]) => key === 'content_regex');
  const read = pattern === -1 ? keys : keys.slice(0, pattern + 1);
  const parts = read.map((key, index): [string, string] => {
    const end = read[index + 1]?.index ?? line.length;
    return [key[1] ?? '', line.slice(key.index + key[0].length, end).trim()];
  });
  if (parts.length === 0 || read[0]?.index !== 0)
    throw new Error('must be like "type: mcp_tool_response, provider: files, content_regex: (?i)secret"');
  const found = Object.fromEntries(parts) as { type?: string } & Omit<TraceMatch, 'type'>;
  const type = STEP_TYPES.find((known) => known === found.type);
  if (found.type !== undefined && type === undefined)
    throw new Error(`type must be one of ${STEP_TYPES.join(', ')}`);
  const { type: _written, ...rest } = found;
  return type === undefined ? rest : { ...rest, type };
}

function matchesAny(globs: string | readonly string[] | undefined, name: string): boolean {
  return globs === undefined || [globs].flat().some((glob) => globMatches(glob, name));
}

function toolMatcher(
  tool: string | readonly string[] | undefined,
  isFolded: boolean,
): (name: string) => boolean {
  if (tool === undefined || !isFolded) return (name) => matchesAny(tool, name);
  return foldedMatcher([tool].flat());
}
