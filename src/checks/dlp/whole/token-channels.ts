import type { Finding } from '../../../detectors/finding.ts';
import type { JsonEdit } from '../../../json/path.ts';
import type { AnswerText, TokenText } from '../../../providers/provider.ts';
import type { Passages } from '../passages.ts';

const NOTHING: readonly Finding[] = [];

/** The tokens that spell one text of a whole answer, in order. */
export interface TokenChannel {
  readonly tokens: readonly TokenText[];
  /** What they spell together. */
  readonly spelled: string;
  /** The text that they should spell; undefined where the answer has none of that path. */
  readonly spelt: AnswerText | undefined;
}

export function tokenChannels(
  tokens: readonly TokenText[],
  texts: readonly AnswerText[],
): readonly TokenChannel[] {
  const byChannel = new Map<string, TokenText[]>();
  for (const token of tokens) {
    const known = byChannel.get(token.channel);
    if (known === undefined) byChannel.set(token.channel, [token]);
    else known.push(token);
  }
  const byPath = new Map(texts.map((text) => [text.path.join('.'), text]));
  return [...byChannel].map(([channel, spelling]) => ({
    tokens: spelling,
    spelled: spelling.map(({ text }) => text).join(''),
    spelt: byPath.get(channel),
  }));
}

/**
 * The edits that leave no token of a finding readable. Where tokens do not spell their text as it stands, nobody can
 * tell which holds what: with a finding in the text, all of them go.
 */
export function blankedTokens(channel: TokenChannel, passages: Passages): readonly JsonEdit[] {
  const { tokens, spelled, spelt } = channel;
  const inText = spelt === undefined ? NOTHING : passages.findingsIn(spelt.text, nameOf(spelt));
  const isSame = spelt?.text === spelled && spelt.isJson !== true && spelt.signed !== true;
  if (inText.length > 0 && !isSame) return tokens.flatMap(({ blank }) => blank);
  const spans = [...inText, ...passages.findingsIn(spelled)];
  if (spans.length === 0) return [];
  const covered = covering(spelled.length, spans);
  const edits: JsonEdit[] = [];
  let start = 0;
  for (const token of tokens) {
    const end = start + token.text.length;
    if (covered.subarray(start, end).includes(1)) edits.push(...token.blank);
    start = end;
  }
  return edits;
}

/** As it was searched under: what a model says stands in members that are named for the dialect. */
function nameOf({ kind, path }: AnswerText): string | undefined {
  return kind === 'tool_arguments' ? path.findLast((step) => typeof step === 'string') : undefined;
}

/** One for each character of a span, else zero. */
function covering(length: number, spans: readonly { start: number; end: number }[]): Uint8Array {
  const covered = new Uint8Array(length);
  for (const { start, end } of spans) covered.fill(1, start, end);
  return covered;
}
