import { normalizeKnown } from '../../normalize/known.ts';
import { PASS, PASS_EVENT, type Check, type Denial, type StreamRewriter } from '../../pipeline/check.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import type { TraceStep } from '../../policy/call.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import { callDenied } from '../denials.ts';
import { notEvaluated } from './judge.ts';

export interface AnswerMarksDeps {
  /** Notes marks in the exchange's session; false where it takes no more of them. */
  readonly mark: (exchange: Parsed, marks: readonly string[]) => Promise<boolean>;
  /** A set could not say by what an answer is remembered. */
  readonly onTrouble: (cause: unknown) => void;
}

/** One exchange's. */
export interface AnswerMarksState {
  /** Undefined where nothing of the answer is to be remembered. */
  asked: Asked | undefined;
  /** A streamed completion of which nothing was noted yet. */
  unnoted: Answered | undefined;
}

interface Asked {
  /** The one that judged the call, whatever set is in force by then. */
  readonly set: Pick<PolicySet, 'marksOf'>;
  readonly step: Omit<TraceStep, 'content'>;
}

/**
 * Notes in the session what policies want to know again of an answer (`contains_matching_trace`), before its client has
 * it: of a whole answer, and of each event of an MCP server's stream. A streamed completion is judged at its end.
 */
export function createAnswerMarksCheck({
  mark,
  onTrouble,
}: AnswerMarksDeps): Check<AnswerMarksState, 'policy-state'> {
  /** The denial by which the answer is withheld, where it cannot be remembered. */
  async function note(
    exchange: Answered,
    { set, step }: Asked,
    texts: readonly string[],
  ): Promise<Denial | undefined> {
    let marks: readonly string[];
    try {
      marks = await set.marksOf({ ...step, content: await withoutDisguises(texts) });
    } catch (cause) {
      onTrouble(cause);
      return notEvaluated(exchange);
    }
    if (marks.length === 0 || (await mark(exchange, marks))) return undefined;
    const reason = 'the session can remember no more of what its policies ask for: begin a new session';
    return callDenied(exchange, reason, 'session_history');
  }

  function ofMessages(exchange: Answered, asked: Asked): StreamRewriter {
    return {
      async event({ json, frame }) {
        if ((frame.data ?? '') === '') return PASS_EVENT;
        const denial = await note(exchange, asked, stringsIn(json ?? frame.data));
        return denial === undefined ? PASS_EVENT : { kind: 'cut', denial };
      },
    };
  }

  function ofCompletion(exchange: Answered, asked: Asked, state: AnswerMarksState): StreamRewriter {
    state.unnoted = exchange;
    return {
      readsText: false,
      event: () => PASS_EVENT,
      async end() {
        state.unnoted = undefined;
        const cut = await note(exchange, asked, [exchange.answer.written.text]);
        return cut && { cut };
      },
    };
  }

  return {
    name: 'policy-state',
    shadowable: true,
    repeatable: true,
    begin: () => ({ asked: undefined, unnoted: undefined }),
    requestBody({ facts: { judged, session } }, state) {
      if (judged === undefined || session === undefined) return PASS;
      const { set, call } = judged;
      const { request } = call.input;
      const step =
        request.method === 'llm_call'
          ? ({ type: 'llm_response', provider: request.provider, tool: '' } as const)
          : ({ type: 'mcp_tool_response', provider: request.mcp_server, tool: request.tool_name } as const);
      if (set.looksFor(step.type)) state.asked = { set, step };
      return PASS;
    },
    async response(exchange, { asked }) {
      const { whole, facts } = exchange.answer;
      if (asked === undefined || whole === undefined || exchange.origin !== 'provider') return PASS;
      const said = facts?.texts.map(({ text }) => text) ?? stringsIn(whole.json ?? whole.body.toString());
      return (await note(exchange, asked, said)) ?? PASS;
    },
    stream(exchange, state) {
      const { asked } = state;
      if (asked === undefined) return undefined;
      return exchange.mcp === undefined ? ofCompletion(exchange, asked, state) : ofMessages(exchange, asked);
    },
    // A client that leaves before the end has read what came until then.
    async end(_exchange, _outcome, { asked, unnoted }) {
      if (asked !== undefined && unnoted !== undefined) {
        await note(unnoted, asked, [unnoted.answer.written.text]);
      }
    },
  };
}

/** As they are, and without their disguises. */
async function withoutDisguises(texts: readonly string[]): Promise<readonly string[]> {
  const normalized = await normalizeKnown(texts);
  return texts.flatMap((text, index) => [...new Set([text, normalized[index]?.text ?? text])]);
}

/** Every string of a message, names of members left out. */
function stringsIn(said: unknown): string[] {
  const texts: string[] = [];
  const left: unknown[] = [said];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number') texts.push(String(value));
    else if (typeof value === 'object' && value !== null) {
      for (const below of Object.values(value)) left.push(below);
    }
  }
  return texts;
}
