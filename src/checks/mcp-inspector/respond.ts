import { HEADER } from '../../headers.ts';
import type { JsonEdit } from '../../json/path.ts';
import {
  PASS,
  type Verdict,
  PASS_EVENT,
  type StreamAction,
  type StreamRewriter,
} from '../../pipeline/check.ts';
import type { Answered, WholeAnswer } from '../../pipeline/exchange.ts';
import { isServerMessage, answeredId, isMessageEvent } from '../../mcp/answer-shape.ts';
import type { StreamEvent } from '../../providers/dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { createSeams } from '../../inspect/message/seams.ts';
import type { PlacedFinding } from '../../inspect/message/search.ts';
import { editWholeMessage, readWholeMessage, uninspectable } from '../../inspect/message/whole-message.ts';
import type { Decide, MessageJudgement } from './decide.ts';
import type { CredentialsOf } from './server-credentials.ts';
import type { SecretResponse } from './secret-response.ts';
import type { RecordJudgement } from './audit-events.ts';
import { jsonRpcError } from '../../mcp/refusal.ts';
import type { Withholding } from './tool-list.ts';

export interface AnswerDeps {
  readonly decide: Decide;
  readonly secretResponse: SecretResponse;
  readonly record: RecordJudgement;
  /** Credentials that a server must not show; empty if it may show them. */
  readonly guardedOf: CredentialsOf;
}

/** Judges a whole answer: the requested message, or another reply (such as an HTTP error) in JSON or text. */
export async function judgeWhole(exchange: Answered, deps: AnswerDeps): Promise<Verdict> {
  const { whole } = exchange.answer;
  if (whole === undefined || whole.body.length === 0) return PASS;
  const answer = readWholeMessage(exchange, whole);
  if (answer === undefined) return uninspectable('it is neither a JSON-RPC message nor a stream of them');
  const judged = await deps.decide(exchange, answer);
  if ('refusal' in judged) return deps.secretResponse.refusal(exchange, judged);
  deps.record(exchange, judged);
  const { secrets } = judged;
  if (secrets.length > 0 && deps.secretResponse.action === 'quarantine') {
    return deps.secretResponse.denial(exchange, answer, judged);
  }
  const reason = judgementInWords(judged);
  if (judged.edits.length === 0) return reason === '' ? PASS : { kind: 'flag', reason };
  return {
    kind: 'rewrite',
    reason,
    apply: () => change(exchange, whole, judged),
    ...(secrets.length > 0 && { enforce: () => deps.secretResponse.report(exchange, secrets) }),
  };
}

function change({ responseHeaders }: Answered, whole: WholeAnswer, judged: MessageJudgement): void {
  editWholeMessage(whole, judged.edits);
  if (isRedacted(judged)) responseHeaders.set(HEADER.responseRedacted, 'true');
}

/**
 * Judges a stream event by event. A response with a secret is replaced by an error with the same id. If secrets are
 * only masked, and in server requests and notifications, only the secrets are removed. A closing comment replaces the
 * headers, which have already been sent.
 */
export function createRewriter(exchange: Answered, deps: AnswerDeps): StreamRewriter {
  const done = new Set<string>();
  const withholds = deps.secretResponse.action === 'quarantine';
  const crossesSeam = createSeams(deps.guardedOf(exchange.mcp?.server ?? ''));

  async function judgeEvent(event: StreamEvent): Promise<StreamAction> {
    const { json, frame } = event;
    const message = isServerMessage(json) ? json : undefined;
    if (message === undefined && event.sideband !== true && isMessageEvent(event)) {
      return { kind: 'cut', denial: uninspectable('a stream event is not a JSON-RPC message') };
    }
    const answer = json ?? frame.data;
    if (typeof answer === 'string' && ENDS_LINES_ELSEWHERE.test(answer)) {
      return {
        kind: 'cut',
        denial: uninspectable('a stream event contains a character that some clients treat as a line end'),
      };
    }
    const judged = await deps.decide(exchange, answer);
    if (crossesSeam(answer)) {
      return {
        kind: 'cut',
        denial: uninspectable("its events repeat the gateway's credentials, split into parts"),
      };
    }
    if ('refusal' in judged) return { kind: 'cut', denial: deps.secretResponse.refusal(exchange, judged) };
    deps.record(exchange, judged);
    if (isRedacted(judged)) done.add(HEADER.responseRedacted);
    if (judged.secrets.length > 0 && withholds) done.add(HEADER.policyBlock);
    return act(message, judged);
  }

  function act(message: JsonObject | undefined, judged: MessageJudgement): StreamAction {
    const { secrets, edits } = judged;
    const reason = judgementInWords(judged);
    if (secrets.length === 0) return reason === '' ? PASS_EVENT : { kind: 'rewrite', edits, reason };
    const enforce = (): Promise<void> => deps.secretResponse.report(exchange, secrets);
    const id = message === undefined || !withholds ? undefined : answeredId(message);
    if (id === undefined) return { kind: 'rewrite', edits, reason, enforce };
    const denial = deps.secretResponse.denial(exchange, message, judged);
    const error = { ...jsonRpcError(denial, exchange.request.mcp), ...(id !== null && { id }) };
    return { kind: 'rewrite', edits: [replacedBy(error)], reason, enforce };
  }

  return {
    // Comments pass, and so do events that contain only an id for resumption.
    event: (event) => ((event.frame.data ?? '') === '' ? PASS_EVENT : judgeEvent(event)),
    comment: () => (done.size === 0 ? undefined : [...done].map((name) => `${name}=true`).join(' ')),
  };
}

/** Some clients end lines at these characters too, so comments may hide events. JSON has them only in strings. */
const ENDS_LINES_ELSEWHERE = /[\v\f\x1c-\x1e\x85\u2028\u2029]/;

function replacedBy(value: unknown): JsonEdit {
  return { kind: 'set', path: [], value };
}

/** Reasons why tools were removed. Tool names are not reported, because they come from the server. */
const WITHHELD: Readonly<globalThis.Record<Withholding, string>> = {
  poisoned: 'with an attack in a name',
  changed: 'changed since first seen',
  unreadable: 'without a readable name',
};

/** Describes findings and actions for a record: rules, never the matched text. */
function judgementInWords(judged: MessageJudgement): string {
  const { attacks, secrets, credentials, suspected, withheld, changed } = judged;
  const rules = rulesIn([...secrets, ...attacks, ...credentials]);
  const reasons = Object.entries(WITHHELD).flatMap(([why, name]) => {
    const count = [...withheld.values()].filter((reason) => reason === why).length;
    return count === 0 ? [] : [`removed tools ${name}: ${String(count)}`];
  });
  if (rules.length > 0) reasons.unshift(`removed: ${rules.join(', ')}`);
  if (suspected.length > 0) reasons.push(`suspected: ${rulesIn(suspected).join(', ')}`);
  const shown = changed.filter((tool) => !withheld.has(tool)).length;
  if (shown > 0) reasons.push(`tools changed since first seen: ${String(shown)}`);
  return reasons.join('; ');
}

function rulesIn(placed: readonly PlacedFinding[]): readonly string[] {
  const scores = new Map<string, number | undefined>();
  for (const { finding } of placed) {
    const { rule, score } = finding;
    scores.set(rule, score === undefined ? undefined : Math.max(score, scores.get(rule) ?? 0));
  }
  return [...scores].map(([rule, score]) =>
    score === undefined ? rule : `${rule} (score ${score.toFixed(2)})`,
  );
}

/** Reports whether anything was removed from the message (`X-Gateway-Response-Redacted`). */
function isRedacted({ attacks, secrets, credentials, withheld }: MessageJudgement): boolean {
  return attacks.length + secrets.length + credentials.length > 0 || withheld.size > 0;
}
