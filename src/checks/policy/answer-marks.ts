import {
  PASS,
  PASS_EVENT,
  type Check,
  type Denial,
  type StreamRewriter,
  type Verdict,
} from '../../pipeline/check.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import { textsOfServerMessage } from '../../mcp/server-texts.ts';
import { stepOfTexts, answerTo, type UnreadStep } from '../../policy/trace-step.ts';
import { callDenied } from '../denials.ts';
import { notEvaluated } from './judge.ts';
import type { StreamEvent, TextDelta } from '../../providers/dialect.ts';

export interface AnswerMarksDeps {
  /** Adds marks to the exchange's session. Returns false if the session cannot store more. */
  readonly mark: (exchange: Parsed, marks: readonly string[]) => Promise<boolean>;
  readonly onTrouble: (cause: unknown) => void;
}

export interface AnswerMarksState {
  /** Undefined if the answer needs no marks. */
  judged: JudgedStep | undefined;
  /** Records marks found in the rest of a streamed completion. */
  noteRest: (() => Promise<Denial | undefined>) | undefined;
}

interface JudgedStep {
  readonly set: Pick<PolicySet, 'marksOf'>;
  readonly step: UnreadStep;
}

/**
 * Records marks for later policy rules (`contains_matching_trace`) before the client gets a whole answer or MCP stream
 * event. A streamed completion is judged at its end, and whenever much text is buffered.
 */
export function createAnswerMarksCheck({
  mark,
  onTrouble,
}: AnswerMarksDeps): Check<AnswerMarksState, 'policy-state'> {
  /** Returns a denial if the answer's marks cannot be determined or stored. */
  async function note(
    exchange: Answered,
    { set, step }: JudgedStep,
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
    const reason = 'the history of this session is full, and policies need it: start a new session';
    return callDenied(exchange, reason, 'session_history');
  }

  async function noteWhole(exchange: Answered, judged: JudgedStep): Promise<Verdict> {
    return (await note(exchange, judged, await textsOfWhole(exchange))) ?? PASS;
  }

  function messageRewriter(exchange: Answered, judged: JudgedStep): StreamRewriter {
    let unnoted: unknown[] = [];
    return {
      received({ json, frame }) {
        if ((frame.data ?? '') !== '') unnoted.push(json ?? frame.data);
      },
      async event() {
        if (unnoted.length === 0) return PASS_EVENT;
        const messages = unnoted;
        unnoted = [];
        const denial = await note(exchange, judged, await textsOfServerMessage(messages));
        return denial === undefined ? PASS_EVENT : { kind: 'cut', denial };
      },
    };
  }

  function completionRewriter(
    exchange: Answered,
    judged: JudgedStep,
    state: AnswerMarksState,
  ): StreamRewriter {
    const streamed = new StreamedTexts();
    const noteRest = () => note(exchange, judged, streamed.takeAll());
    state.noteRest = noteRest;
    return {
      readsText: false,
      received: (event) => streamed.add(event),
      event() {
        if (!streamed.isFull) return PASS_EVENT;
        return note(exchange, judged, streamed.takeFull()).then((denial) =>
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
    begin: () => ({ judged: undefined, noteRest: undefined }),
    requestBody({ facts: { judged, session } }, state) {
      if (judged === undefined || session === undefined || session === null) return PASS;
      const { set, call } = judged;
      const step = answerTo(call.input.request);
      if (set.needsSteps(step.type)) state.judged = { set, step };
      return PASS;
    },
    response(exchange, { judged }) {
      if (judged === undefined || exchange.answer.whole === undefined || exchange.origin !== 'provider') {
        return PASS;
      }
      return noteWhole(exchange, judged);
    },
    stream(exchange, state) {
      const { judged } = state;
      if (judged === undefined) return undefined;
      return exchange.mcp === undefined
        ? completionRewriter(exchange, judged, state)
        : messageRewriter(exchange, judged);
    },
    // Also records marks if the client leaves early, because the client has received the events so far.
    end: (_exchange, _outcome, { noteRest }) => noteRest?.().then(() => undefined),
  };
}

/** MCP messages have no dialect, so all their strings are read, as in events. */
function textsOfWhole({ mcp, answer: { whole, facts } }: Answered): string[] | Promise<string[]> {
  if (mcp !== undefined || facts === undefined)
    return textsOfServerMessage(whole?.json ?? whole?.body.toString());
  const joined = (facts.joined ?? []).map((texts) => texts.map(({ text }) => text).join(''));
  return [...facts.texts.map(({ text }) => text), ...joined];
}

const MAX_KEPT_CHARS = 262_144;
/** Characters kept of each text that is judged early, so that a match can continue. */
const OVERLAP_CHARS = 8_192;
/** Maximum number of concurrent texts. Beyond it, judged texts are dropped. */
const MAX_TEXTS = 512;

/** Assembles the texts of a streamed completion. Its choices and tool calls may interleave. */
class StreamedTexts {
  #texts = new Map<string, string>();
  #chars = 0;

  get isFull(): boolean {
    return this.#chars > MAX_KEPT_CHARS;
  }

  add({ deltas }: StreamEvent): void {
    for (const delta of deltas) {
      this.#chars += delta.text.length;
      for (const name of namesOf(delta)) this.#texts.set(name, (this.#texts.get(name) ?? '') + delta.text);
    }
  }

  /** Returns all texts so far, and keeps their ends for matches that continue. */
  takeFull(): string[] {
    const texts = [...this.#texts.values()];
    const kept = [...this.#texts].slice(-MAX_TEXTS);
    this.#texts = new Map(kept.map(([name, text]) => [name, text.slice(-OVERLAP_CHARS)]));
    this.#chars = 0;
    return texts;
  }

  takeAll(): string[] {
    const texts = [...this.#texts.values()];
    this.#texts = new Map();
    return texts;
  }
}

/** Clients join some channels into one text. Repetitions of streamed text are separate. */
function namesOf({ channel, joins, repeats }: TextDelta): readonly string[] {
  const name = repeats === true ? `again ${channel}` : `text ${channel}`;
  return joins === undefined || repeats === true ? [name] : [name, `joined ${joins}`];
}
