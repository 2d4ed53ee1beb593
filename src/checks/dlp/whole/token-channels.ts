import type { JsonEdit } from '../../../json/path.ts';
import type { AnswerText, TokenText } from '../../../providers/provider.ts';
import type { Passages, TextSpan } from '../passages.ts';
import type { JoinedText } from './joined-text.ts';

/** A text that tokens may spell. */
interface SpeltText {
  readonly text: string;
  /** False where what is masked in it does not stand where it was found. */
  readonly isPlain: boolean;
  spansIn(passages: Passages): readonly TextSpan[];
}

/** The tokens that spell one text of a whole answer, in order. */
export interface TokenChannel {
  readonly tokens: readonly TokenText[];
  /** What they spell together. */
  readonly spelled: string;
  /** The text of that path and those that it is part of; none where the answer has none of that path. */
  readonly spelt: readonly SpeltText[];
}

export function tokenChannels(
  tokens: readonly TokenText[],
  texts: readonly AnswerText[],
  joined: readonly JoinedText[],
): readonly TokenChannel[] {
  if (tokens.length === 0) return [];
  const byChannel = new Map<string, TokenText[]>();
  for (const token of tokens) {
    const known = byChannel.get(token.channel);
    if (known === undefined) byChannel.set(token.channel, [token]);
    else known.push(token);
  }
  const spelt = new Map<string, readonly SpeltText[]>(texts.map((text) => [nameOf(text), [alone(text)]]));
  for (const one of joined) {
    const together: SpeltText = { text: one.text, isPlain: true, spansIn: () => one.spans() };
    for (const text of one.texts) spelt.set(nameOf(text), [memberOf(one, text), together]);
  }
  return [...byChannel].map(([channel, spelling]) => ({
    tokens: spelling,
    spelled: spelling.map(({ text }) => text).join(''),
    spelt: spelt.get(channel) ?? [],
  }));
}

function nameOf({ path }: AnswerText): string {
  return path.join('.');
}

function alone(text: AnswerText): SpeltText {
  return {
    text: text.text,
    isPlain: isPlain(text),
    spansIn: (passages) => passages.spansIn(text.text),
  };
}

function memberOf(joined: JoinedText, member: AnswerText): SpeltText {
  return {
    text: member.text,
    isPlain: isPlain(member),
    spansIn: () => joined.members().get(member)?.spans ?? [],
  };
}

function isPlain({ isJson, signed }: AnswerText): boolean {
  return isJson !== true && signed !== true;
}

/**
 * The edits that leave no token of a finding readable. Where tokens do not spell their text as it stands, nobody can
 * tell which holds what: with a finding in the text, all of them go.
 */
export function blankedTokens(
  { tokens, spelled, spelt }: TokenChannel,
  passages: Passages,
): readonly JsonEdit[] {
  const same = spelt.find(({ text, isPlain }) => isPlain && text === spelled);
  if (same === undefined && spelt.some((one) => one.spansIn(passages).length > 0)) {
    return tokens.flatMap(({ blank }) => blank);
  }
  const spans = [...(same?.spansIn(passages) ?? []), ...passages.spansIn(spelled)];
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

/** One for each character of a span, else zero. */
function covering(length: number, spans: readonly TextSpan[]): Uint8Array {
  const covered = new Uint8Array(length);
  for (const { start, end } of spans) covered.fill(1, start, end);
  return covered;
}
