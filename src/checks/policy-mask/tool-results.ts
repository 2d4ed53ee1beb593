import { HEADER } from '../../headers.ts';
import { editedView } from '../../json/edit-tree.ts';
import type { JsonEdit } from '../../json/path.ts';
import { PASS, PASS_EVENT, type Denial, type StreamRewriter, type Verdict } from '../../pipeline/check.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import type { MaskSearch } from '../../policy/masking/search.ts';
import { distinctFindings } from '../../where-found.ts';
import { fixedAmong, masked, redactions } from '../../inspect/message/edits.ts';
import { findInTexts, type PlacedFinding } from '../../inspect/message/search.ts';
import { readTexts } from '../../inspect/message/texts.ts';
import { editWholeMessage, readWholeMessage, uninspectable } from '../../inspect/message/whole-message.ts';

interface MaskedMessage {
  readonly rules: readonly string[];
  readonly edits: readonly JsonEdit[];
}

/** Policies do not mask smaller numbers. */
const LEAST_NUMBER = 1e8;
const TOO_MUCH = 'it has more text than policy masks can scan';

/** Masks a whole MCP answer, after earlier checks' edits. */
export async function maskWholeResult(exchange: Answered, search: MaskSearch): Promise<Verdict> {
  const { whole } = exchange.answer;
  if (whole === undefined || whole.body.length === 0) return PASS;
  const body = whole.replacement ?? whole.body;
  const answer = readWholeMessage(exchange, { ...whole, body, json: editedView(whole.json, whole.edits) });
  if (answer === undefined) return uninspectable('it is neither a JSON-RPC message nor a stream of them');
  const message = await maskMessage(answer, search);
  if ('kind' in message) return message;
  const { rules, edits } = message;
  if (rules.length === 0) return PASS;
  return {
    kind: 'rewrite',
    reason: maskReason(rules),
    apply() {
      editWholeMessage(whole, edits);
      exchange.responseHeaders.set(HEADER.responseRedacted, 'true');
    },
  };
}

export function createResultRewriter(search: MaskSearch): StreamRewriter {
  let isRedacted = false;
  return {
    async event({ json, frame }) {
      if ((frame.data ?? '') === '') return PASS_EVENT;
      const message = await maskMessage(json ?? frame.data, search);
      if ('kind' in message) return { kind: 'cut', denial: message };
      const { rules, edits } = message;
      if (rules.length === 0) return PASS_EVENT;
      isRedacted = true;
      return { kind: 'rewrite', edits, reason: maskReason(rules) };
    },
    comment: () => (isRedacted ? `${HEADER.responseRedacted}=true` : undefined),
  };
}

async function maskMessage(message: unknown, search: MaskSearch): Promise<MaskedMessage | Denial> {
  const texts = await readTexts(message, { leastNumber: LEAST_NUMBER });
  if (texts === undefined) return uninspectable(TOO_MUCH);
  const { findings: found, isWhole } = await findInTexts(texts, {
    detectors: search.detectors,
    counts: () => search.secretsBy !== undefined,
  });
  if (!isWhole) return uninspectable(TOO_MUCH);
  const fixed = await fixedAmong(found);
  // Pattern matches in an id or method name are not content.
  const placed = found.filter((each) => each.finding.class !== 'pattern' || !fixed.has(each));
  const ruleOf = ({ finding }: PlacedFinding): string =>
    finding.class === 'secret' ? (search.secretsBy ?? finding.rule) : finding.rule;
  const unmaskable = placed.filter((each) => fixed.has(each));
  if (unmaskable.length > 0) {
    const why = 'a policy masks a part of it that cannot be changed (its id, method or version)';
    const findings = distinctFindings(
      unmaskable.map((each) => ({ rule: ruleOf(each), class: each.finding.class })),
    );
    return { ...uninspectable(why), findings };
  }
  const rules = placed.map(ruleOf);
  return { rules: [...new Set(rules)], edits: await redactions(placed, masked) };
}

function maskReason(rules: readonly string[]): string {
  return `masked in the tool's answer: ${rules.join(', ')}`;
}
