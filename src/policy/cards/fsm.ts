import type { RE2JS } from 're2js';
import { globMatches } from '../../text/glob.ts';
import type { PolicyCall } from '../call.ts';
import { typesNamed, type CardFsm, type Trigger, type ReadCard } from './card-schema.ts';
import { compileRegex } from './text-patterns.ts';
import type { TextQueries } from './text-queries.ts';

export interface Fsm {
  readonly initialState: string;
  readonly readsFlags: boolean;
  readonly readsPrompts: boolean;
  /**
   * Returns the next state after a call, or undefined if the state stays the same.
   * @param flags the session's flags, including those that this call adds
   */
  next(call: PolicyCall, state: string, flags: ReadonlySet<string>): Promise<string | undefined>;
}

interface Transition {
  readonly from: string;
  readonly to: string;
  readonly isBy: (call: PolicyCall, flags: ReadonlySet<string>) => boolean;
  readonly query: number | undefined;
}

const ANY_STATE = '*';

export function compileFsm(
  fsm: CardFsm,
  { problem }: ReadCard,
  queries: TextQueries,
  problems: string[],
): Fsm {
  const transitions = fsm.transitions.flatMap(({ from, to, trigger }, index): Transition[] => {
    const path = ['fsm', 'transitions', index, 'trigger'];
    if (typeof trigger === 'object' && Object.keys(trigger).length === 0)
      problems.push(problem(path, 'is empty: give type, tool, matches or taint'));
    try {
      return [{ from, to, isBy: eventOf(trigger), query: queryOf(trigger, queries) }];
    } catch (failure) {
      problems.push(
        problem([...path, 'matches'], failure instanceof Error ? failure.message : 'cannot be used'),
      );
      return [];
    }
  });
  return {
    initialState: fsm.initial_state,
    readsFlags: fsm.transitions.some(
      ({ trigger }) => typeof trigger === 'object' && trigger.taint !== undefined,
    ),
    readsPrompts: fsm.transitions.some(
      ({ trigger }) =>
        typeof trigger === 'object' &&
        trigger.matches !== undefined &&
        trigger.tool === undefined &&
        (trigger.type === undefined || typesNamed(trigger.type).has('llm_call')),
    ),
    async next(call, state, flags) {
      for (const { from, to, isBy, query } of transitions) {
        if ((from !== state && from !== ANY_STATE) || !isBy(call, flags)) continue;
        if (query !== undefined && !(await queries.answer(call, new Set([query]))).has(query)) continue;
        return to === state ? undefined : to;
      }
      return undefined;
    },
  };
}

function eventOf(trigger: Trigger): Transition['isBy'] {
  if (typeof trigger === 'string') {
    return ({ input: { request } }) =>
      request.method === 'mcp_tool_call'
        ? globMatches(trigger, request.tool_name)
        : trigger === request.method;
  }
  const { type, tool, taint } = trigger;
  const types = type === undefined ? undefined : typesNamed(type);
  return ({ input: { request } }, flags) => {
    if (types?.has(request.method) === false) return false;
    if (taint !== undefined && !flags.has(taint)) return false;
    if (tool === undefined) return true;
    return (
      request.method === 'mcp_tool_call' && [tool].flat().some((glob) => globMatches(glob, request.tool_name))
    );
  };
}

function queryOf(trigger: Trigger, queries: TextQueries): number | undefined {
  if (typeof trigger === 'string' || trigger.matches === undefined) return undefined;
  const regex: RE2JS = compileRegex(trigger.matches);
  if (regex.test('')) throw new Error('matches the empty text and would match everywhere');
  return queries.add({ pattern: { kind: 'regex', source: trigger.matches }, argument: undefined });
}
