import { addAll } from '../add-all.ts';
import type { Parsed } from '../pipeline/exchange.ts';
import type { Run } from '../pipeline/run.ts';
import type { TracePlace, TracedStep } from './step.ts';

export interface OpenCall {
  readonly step: TracedStep;
  readonly place: TracePlace;
  readonly run: Run;
  /** Undefined if the call was denied. */
  readonly parsed: Parsed | undefined;
  isAnswered: boolean;
}

export interface OpenCalls {
  /** Returns the open calls of the step's session, oldest first. */
  ofSession(step: TracedStep): readonly OpenCall[];
  add(call: OpenCall): Promise<void>;
  /** Removes and returns the call that a response answers: by id, otherwise by tool, otherwise the oldest. */
  take(response: TracedStep): OpenCall | undefined;
  end(): Promise<void>;
}

const MAX_CALLS = 1_024;
const MAX_PER_SESSION = 64;
/** Number of calls kept when sessions are dropped. Drops in batches, because a Map scans deleted keys first. */
const KEPT_CALLS = 960;

/** @param finish receives calls that will not be answered */
export function createOpenCalls(finish: (call: OpenCall) => Promise<void>): OpenCalls {
  /** Ordered by last use, oldest first. */
  const sessions = new Map<string, OpenCall[]>();
  let count = 0;

  return {
    ofSession: (step) => sessions.get(tracedSession(step)) ?? [],
    async add(call) {
      const name = tracedSession(call.step);
      const calls = sessions.get(name) ?? [];
      sessions.delete(name);
      sessions.set(name, calls);
      // The content has already been judged, and may be long.
      calls.push({ ...call, step: { ...call.step, content: undefined, arguments: undefined } });
      count += 1;
      const dropped = calls.length > MAX_PER_SESSION ? calls.splice(0, 1) : [];
      if (count - dropped.length > MAX_CALLS) {
        for (const [oldest, itsCalls] of sessions) {
          sessions.delete(oldest);
          addAll(dropped, itsCalls);
          if (count - dropped.length <= KEPT_CALLS) break;
        }
      }
      count -= dropped.length;
      for (const call of dropped) await finish(call);
    },
    take(response) {
      const name = tracedSession(response);
      const calls = sessions.get(name) ?? [];
      const index = indexOfCall(calls, response);
      if (index === -1) return undefined;
      const [taken] = calls.splice(index, 1);
      count -= 1;
      if (calls.length === 0) sessions.delete(name);
      return taken;
    },
    async end() {
      const left = [...sessions.values()].flat();
      sessions.clear();
      count = 0;
      for (const call of left) await finish(call);
    },
  };
}

function indexOfCall(calls: readonly OpenCall[], { type, callId, tool }: TracedStep): number {
  const wanted = type === 'llm_response' ? 'llm_call' : 'mcp_tool_call';
  const first = (fits: (step: TracedStep) => boolean): number =>
    calls.findIndex(({ step }) => step.type === wanted && fits(step));
  if (callId !== undefined) {
    const named = first((step) => step.callId === callId);
    if (named !== -1) return named;
  }
  // The answer to a call with an id has the same id.
  const isNameless = (step: TracedStep): boolean => callId === undefined || step.callId === undefined;
  if (tool !== '') return first((step) => isNameless(step) && step.tool === tool);
  return first(isNameless);
}

function tracedSession({ agent, sessionId }: TracedStep): string {
  return `${agent.keyHash}/${sessionId}`;
}
