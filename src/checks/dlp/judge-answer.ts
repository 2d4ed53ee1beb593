import { CONTENT_CLASSES, type ContentClass, type Finding } from '../../detectors/finding.ts';
import { PASS, PASS_EVENT, type Denial, type StreamRewriter, type Verdict } from '../../pipeline/check.ts';
import type { Answered, WholeAnswer } from '../../pipeline/exchange.ts';
import { findingId } from '../finding-id.ts';
import { actionFor, classesOf, rulesOf, quarantined, type DlpAction } from './actions.ts';
import type { DlpCheckDeps } from './deps.ts';
import { MaskedNames, masking, refusedFor, type Inspected, type Found } from '../../inspect/inspected.ts';
import { rewriteWhole, sniffedStream, type SniffedStream } from '../../inspect/whole/sniffed-stream.ts';
import { inspectAnswer } from '../../inspect/whole/answer.ts';
import { createHeaderInspection } from '../../inspect/whole/answer-headers.ts';
import { after, type Awaitable } from '../../turns.ts';
import {
  createMaskingRewriter,
  type FindingsJudge,
  type StreamSearch,
} from '../../inspect/stream/rewriter.ts';

export interface AnswerJudge {
  /** Judges a whole answer, or the headers of a stream. */
  whole(exchange: Answered): Awaitable<Verdict>;
  rewriter(exchange: Answered): StreamRewriter;
}

/** Maximum number of finding ids in one risk event. */
const MAX_IDS = 64;

export function createAnswerJudge(deps: DlpCheckDeps): AnswerJudge {
  const { config } = deps;
  const passesArguments = !config.scan_tool_arguments;
  const inspectHeaders = createHeaderInspection(deps.detector);
  const actionOf = (found: ContentClass): DlpAction => actionFor(found, config.action);

  function withhold(exchange: Answered, found: readonly Found[]): Denial {
    const findings = findingIds(found);
    const classes = classesOf(found.map(({ finding }) => finding));
    const leak = {
      exchange,
      findings,
      lockMs: config.quarantine_duration,
      ...(!classes.includes('secret') && { personalDataOnly: true as const }),
    };
    const withheld = found.map((each) => ({ ...each, where: { place: 'answer' } }));
    const denial = quarantined(classes, () => deps.reportSecretLeak(leak));
    return { ...denial, findings: refusedFor(withheld) };
  }

  function judged(exchange: Answered, inspected: Inspected): Awaitable<Verdict> {
    return inspected.found.length === 0 ? PASS : judgeFound(exchange, inspected);
  }

  async function judgeFound(exchange: Answered, { found, mask }: Inspected): Promise<Verdict> {
    deps.onEvidence?.(exchange, { side: 'answer', found });
    const classes = classesOf(found.map(({ finding }) => finding));
    for (const name of classes) deps.onFound({ class: name, side: 'answer', action: actionOf(name) });
    const cut = new Set<string>(classes.filter((name) => actionOf(name) === 'quarantine'));
    if (cut.size > 0) {
      return withhold(
        exchange,
        found.filter(({ finding }) => cut.has(finding.class)),
      );
    }
    return masking(exchange, rulesOf(found), await mask());
  }

  async function judgeStream(
    exchange: Answered,
    whole: WholeAnswer,
    stream: SniffedStream,
  ): Promise<Verdict> {
    const masked: string[] = [];
    const rewriter = rewriterOf(exchange, (found) => masked.push(found));
    const rewritten = await rewriteWhole(whole.body, stream, rewriter);
    if ('denial' in rewritten) return rewritten.denial;
    const send = (): void => void (whole.replacement = rewritten.bytes);
    if (masked.length > 0) return masking(exchange, masked.join(', '), send);
    // Sends the judged bytes if clients could parse the provider's bytes differently.
    const asRead = await rewriteWhole(whole.body, stream, { event: () => PASS_EVENT });
    const isPlain = 'bytes' in asRead && asRead.bytes.equals(whole.body);
    return isPlain
      ? PASS
      : { kind: 'rewrite', reason: 'a stream that clients could parse differently', apply: send };
  }

  function rewriterOf(exchange: Answered, onFound: (found: ContentClass) => void): StreamRewriter {
    return createDlpRewriter({
      detector: deps.detector,
      passesArguments,
      actionOf,
      ...(deps.onEvidence && {
        onEvidence: (found: readonly Found[]) => deps.onEvidence?.(exchange, { side: 'answer', found }),
      }),
      onQuarantine: (found) => withhold(exchange, found),
      onFound(found, action) {
        deps.onFound({ class: found, side: 'answer', action });
        onFound(found);
      },
    });
  }

  function judgeBody(exchange: Answered): Awaitable<Verdict> {
    const { whole, facts } = exchange.answer;
    if (whole === undefined) return PASS;
    const stream = sniffedStream(exchange);
    if (stream !== undefined) return judgeStream(exchange, whole, stream);
    return after(inspectAnswer(whole, facts, deps.findAll, { passesArguments }), (inspected) => {
      if ('kind' in inspected) return inspected;
      if (!passesArguments && whole.edits.length === 0) whole.searched = inspected.searched;
      return judged(exchange, inspected);
    });
  }

  return {
    whole: (exchange) =>
      after(judged(exchange, inspectHeaders(exchange)), (headers) =>
        headers.kind === 'deny'
          ? headers
          : after(judgeBody(exchange), (body) => mergedVerdict(headers, body)),
      ),
    rewriter: (exchange) => rewriterOf(exchange, () => undefined),
  };
}

function mergedVerdict(first: Verdict, second: Verdict): Verdict {
  if (first.kind !== 'rewrite') return second;
  if (second.kind !== 'rewrite') return second.kind === 'pass' ? first : second;
  return {
    kind: 'rewrite',
    reason: `${first.reason}; ${second.reason}`,
    apply() {
      first.apply();
      second.apply();
    },
  };
}

function findingIds(found: readonly Found[]): string[] {
  const ids = new Set<string>();
  for (const { finding, text } of found) {
    if (ids.size === MAX_IDS) break;
    ids.add(findingId(finding.rule, text));
  }
  return [...ids];
}

export interface StreamRewriterDeps extends StreamSearch {
  readonly actionOf: (found: ContentClass) => DlpAction;
  /** Returns the denial that cuts off the stream. Findings contain the matched text: digest it, never store it. */
  readonly onQuarantine: (found: readonly Found[]) => Denial;
  /** Called once per class and stream. */
  readonly onFound: (found: ContentClass, action: DlpAction) => void;
  /** Called with the first findings, which must not be stored either. */
  readonly onEvidence?: (found: readonly Found[]) => void;
}

const MAX_EVIDENCE = 64;

export function createDlpRewriter(deps: StreamRewriterDeps): StreamRewriter {
  return createMaskingRewriter(deps, new StreamFindings(deps));
}

class StreamFindings extends MaskedNames implements FindingsJudge {
  readonly #deps: StreamRewriterDeps;
  readonly #classes = new Set<ContentClass>();
  /** Cached by class and rule, because one event may have hundreds of thousands of findings. */
  readonly #actions = new Map<string, Map<string, DlpAction | undefined>>();
  #evidence = 0;

  constructor(deps: StreamRewriterDeps) {
    super();
    this.#deps = deps;
  }

  judge(found: readonly Found[]): Denial | undefined {
    if (this.#deps.onEvidence !== undefined) this.#reportEvidence(found);
    const withheld = found.filter(({ finding }) => this.#actionOf(finding) === 'quarantine');
    return withheld.length === 0 ? undefined : this.#deps.onQuarantine(withheld);
  }

  #reportEvidence(found: readonly Found[]): void {
    const reported = found.slice(0, MAX_EVIDENCE - this.#evidence);
    if (reported.length === 0) return;
    this.#evidence += reported.length;
    this.#deps.onEvidence?.(reported);
  }

  #actionOf({ class: name, rule }: Finding): DlpAction | undefined {
    const known = this.#actions.get(name) ?? new Map<string, DlpAction | undefined>();
    if (known.has(rule)) return known.get(rule);
    const action = this.#note(name, rule);
    this.#actions.set(name, known.set(rule, action));
    return action;
  }

  #note(name: string, rule: string): DlpAction | undefined {
    const found = CONTENT_CLASSES.find((known) => known === name);
    if (found === undefined) return undefined;
    const action = this.#deps.actionOf(found);
    if (!this.#classes.has(found)) this.#deps.onFound(found, action);
    this.#classes.add(found);
    if (action === 'mask') this.add(`${found} (${rule})`);
    return action;
  }
}
