import { HEADER } from '../../headers.ts';
import type { JsonEdit } from '../../json/path.ts';
import { isForMessages } from '../../mcp/answer-events.ts';
import { jsonRpcError } from '../../mcp/refusal.ts';
import { PASS_EVENT, type StreamAction, type StreamRewriter } from '../../pipeline/check.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import type { StreamEvent } from '../../providers/provider.ts';
import { answeredId, isMessage, type JsonObject } from '../../mcp/answer-shape.ts';
import type { Judgement } from './judge.ts';
import { describe, isRedacted, refused } from './summary.ts';
import type { AnswerDeps } from './whole.ts';

/**
 * Judges a stream event by event. A response with a secret becomes the error that says so, under its id; where secrets
 * are masked, and of a request or notification of the server's, it goes on without it. The headers are gone by then, so a closing comment says what they
 * would have said.
 */
export function createRewriter(exchange: Answered, deps: AnswerDeps): StreamRewriter {
  const done = new Set<string>();
  const keepsBack = deps.leaks.action === 'quarantine';

  async function judgeEvent(event: StreamEvent): Promise<StreamAction> {
    const { json, frame } = event;
    const message = isMessage(json) ? json : undefined;
    if (message === undefined && event.sideband !== true && isForMessages(event)) {
      return { kind: 'cut', denial: refused('an event of its stream is no JSON-RPC message') };
    }
    const said = json ?? frame.data;
    if (typeof said === 'string' && ENDS_LINES_ELSEWHERE.test(said)) {
      return { kind: 'cut', denial: refused('some clients would read another event in one of its stream') };
    }
    const judged = await deps.judge(exchange, said);
    if ('refusal' in judged) return { kind: 'cut', denial: deps.leaks.refusal(exchange, judged) };
    deps.record(exchange, judged);
    if (isRedacted(judged)) done.add(HEADER.responseRedacted);
    if (judged.secrets.length > 0 && keepsBack) done.add(HEADER.policyBlock);
    return act(message, judged);
  }

  function act(message: JsonObject | undefined, judged: Judgement): StreamAction {
    const { secrets, edits } = judged;
    const reason = describe(judged);
    if (secrets.length === 0) return reason === '' ? PASS_EVENT : { kind: 'rewrite', edits, reason };
    const enforce = (): Promise<void> => deps.leaks.report(exchange, secrets);
    const id = message === undefined || !keepsBack ? undefined : answeredId(message);
    if (id === undefined) return { kind: 'rewrite', edits, reason, enforce };
    const denial = deps.leaks.denial(exchange, message, judged);
    const error = { ...jsonRpcError(denial, exchange.request.mcp), ...(id !== null && { id }) };
    return { kind: 'rewrite', edits: [replacedBy(error)], reason, enforce };
  }

  return {
    // A comment, or an event without data that only tells an id to resume from.
    event: (event) => ((event.frame.data ?? '') === '' ? PASS_EVENT : judgeEvent(event)),
    comment: () => (done.size === 0 ? undefined : [...done].map((name) => `${name}=true`).join(' ')),
  };
}

/** Some clients' lines end at these too, so that a comment may hold an event; in JSON, they stand in strings alone. */
const ENDS_LINES_ELSEWHERE = /[\v\f\x1c-\x1e\x85\u2028\u2029]/;

function replacedBy(value: unknown): JsonEdit {
  return { kind: 'set', path: [], value };
}
