import { PASS, PASS_EVENT, type Check, type Denial, type StreamRewriter } from '../../pipeline/check.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import { stepOfTexts, answerTo, textsOfAnswer, type UnreadStep } from '../../policy/trace-step.ts';
import { callDenied } from '../denials.ts';
import { notEvaluated } from './judge.ts';
import { StreamedTexts } from './streamed-texts.ts';

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
  /** Notes what a streamed completion said that was not noted yet. */
  noteRest: (() => Promise<Denial | undefined>) | undefined;
}

interface Asked {
  /** The one that judged the call, whatever set is in force by then. */
  readonly set: Pick<PolicySet, 'marksOf'>;
  readonly step: UnreadStep;
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
      marks = await set.marksOf(await stepOfTexts(step, texts));
    } catch (cause) {
      onTrouble(cause);
      return notEvaluated(exchange);
    }
    if (marks.length === 0 || (await mark(exchange, marks))) return undefined;
    const reason = 'the history of this session is full, and its policies need it: start a new session';
    return callDenied(exchange, reason, 'session_history');
  }

  function ofMessages(exchange: Answered, asked: Asked): StreamRewriter {
    let unnoted: unknown[] = [];
    return {
      received({ json, frame }) {
        if ((frame.data ?? '') !== '') unnoted.push(json ?? frame.data);
      },
      async event() {
        if (unnoted.length === 0) return PASS_EVENT;
        const messages = unnoted;
        unnoted = [];
        const denial = await note(exchange, asked, await textsOfAnswer(messages));
        return denial === undefined ? PASS_EVENT : { kind: 'cut', denial };
      },
    };
  }

  function ofCompletion(exchange: Answered, asked: Asked, state: AnswerMarksState): StreamRewriter {
    const said = new StreamedTexts();
    const noteRest = () => note(exchange, asked, said.takeAll());
    state.noteRest = noteRest;
    return {
      readsText: false,
      received: (event) => said.add(event),
      event() {
        if (!said.isFull) return PASS_EVENT;
        return note(exchange, asked, said.takeFull()).then((denial) =>
          denial === undefined ? PASS_EVENT : { kind: 'cut', denial },
        );
      },
      async end() {
        state.noteRest = undefined;
        const cut = await noteRest();
        return cut && { cut };
      },
    };
  }

  return {
    name: 'policy-state',
    shadowable: true,
    repeatable: true,
    begin: () => ({ asked: undefined, noteRest: undefined }),
    requestBody({ facts: { judged, session } }, state) {
      if (judged === undefined || session === undefined || session === null) return PASS;
      const { set, call } = judged;
      const step = answerTo(call.input.request);
      if (set.looksFor(step.type)) state.asked = { set, step };
      return PASS;
    },
    async response(exchange, { asked }) {
      if (asked === undefined || exchange.answer.whole === undefined || exchange.origin !== 'provider') {
        return PASS;
      }
      return (await note(exchange, asked, await textsOfWhole(exchange))) ?? PASS;
    },
    stream(exchange, state) {
      const { asked } = state;
      if (asked === undefined) return undefined;
      return exchange.mcp === undefined ? ofCompletion(exchange, asked, state) : ofMessages(exchange, asked);
    },
    // A client that leaves before the end has read what came until then.
    async end(_exchange, _outcome, { noteRest }) {
      await noteRest?.();
    },
  };
}

/** An MCP server's messages have no dialect: their strings are read as they are in its events. */
function textsOfWhole({ mcp, answer: { whole, facts } }: Answered): string[] | Promise<string[]> {
  if (mcp !== undefined || facts === undefined) return textsOfAnswer(whole?.json ?? whole?.body.toString());
  const joined = (facts.joined ?? []).map((texts) => texts.map(({ text }) => text).join(''));
  return [...facts.texts.map(({ text }) => text), ...joined];
}
