import type { JsonEdit } from '../../../json/path.ts';
import type { AnswerText, TokenText } from '../../../providers/provider.ts';
import { TextMap } from '../../../text/text-map.ts';
import { ITEM_CHARS, type Work } from '../../../turns.ts';
import type { ScanBatch } from '../scan/scan-batch.ts';
import type { Span } from '../../../text/span.ts';
import type { JoinedText } from './joined-text.ts';

/** A text that tokens may spell. */
interface LogprobText {
  readonly text: string;
  /** False where what is masked in it does not stand where it was found. */
  readonly isPlain: boolean;
  spansIn(batch: ScanBatch): readonly Span[];
}

/** The tokens that spell one text of a whole answer, in order. */
export interface TokenChannel {
  readonly tokens: readonly TokenText[];
  /** What they spell together. */
  readonly spelled: string;
  /** The text of that path and those that it is part of; none where the answer has none of that path. */
  readonly shownTexts: readonly LogprobText[];
}

export function* tokenChannels(
  tokens: readonly TokenText[],
  texts: readonly AnswerText[],
  joined: readonly JoinedText[],
): Work<readonly TokenChannel[]> {
  if (tokens.length === 0) return [];
  const byChannel = new TextMap<TokenText[]>();
  const all: TokenText[][] = [];
  for (const token of tokens) {
    const known = byChannel.get(token.channel);
    if (known !== undefined) known.push(token);
    else {
      const first = [token];
      byChannel.set(token.channel, first);
      all.push(first);
    }
    yield ITEM_CHARS;
  }
  const shownTexts = yield* logprobTexts(texts, joined);
  const channels: TokenChannel[] = [];
  for (const spelling of all) {
    const spelled = spelling.map(({ text }) => text).join('');
    channels.push({
      tokens: spelling,
      spelled,
      shownTexts: shownTexts.get(spelling[0]?.channel ?? '') ?? [],
    });
    yield spelling.length * ITEM_CHARS;
  }
  return channels;
}

/** By the channels of the tokens that would spell them. */
function* logprobTexts(
  texts: readonly AnswerText[],
  joined: readonly JoinedText[],
): Work<TextMap<readonly LogprobText[]>> {
  const shownTexts = new TextMap<readonly LogprobText[]>();
  for (const text of texts) {
    shownTexts.set(pathName(text), [alone(text)]);
    yield ITEM_CHARS;
  }
  for (const one of joined) {
    const together: LogprobText = { text: one.text, isPlain: true, spansIn: () => one.spans() };
    for (const text of one.texts) {
      shownTexts.set(pathName(text), [logprobText(one, text), together]);
      yield ITEM_CHARS;
    }
  }
  return shownTexts;
}

function pathName({ path }: AnswerText): string {
  return path.join('.');
}

function alone(text: AnswerText): LogprobText {
  return {
    text: text.text,
    isPlain: isUnsignedText(text),
    spansIn: (batch) => batch.spansIn(text.text),
  };
}

function logprobText(joined: JoinedText, member: AnswerText): LogprobText {
  return {
    text: member.text,
    isPlain: isUnsignedText(member),
    spansIn: () => joined.members().get(member)?.spans ?? [],
  };
}

function isUnsignedText({ isJson, signed }: AnswerText): boolean {
  return isJson !== true && signed !== true;
}

/** The edits that leave no token of a finding readable. */
export function* blankedTokens(
  channels: readonly TokenChannel[],
  batch: ScanBatch,
): Work<readonly JsonEdit[]> {
  const edits: JsonEdit[] = [];
  for (const channel of channels) {
    for (const blanked of blankedIn(channel, batch)) {
      if (blanked !== undefined) edits.push(...blanked.blank);
      yield ITEM_CHARS;
    }
    yield ITEM_CHARS;
  }
  return edits;
}

/**
 * Of each token itself where it is to go. Where tokens do not spell their text as it stands, nobody can tell which holds
 * what: with a finding in the text, all of them go.
 */
function* blankedIn(
  { tokens, spelled, shownTexts }: TokenChannel,
  batch: ScanBatch,
): Generator<TokenText | undefined> {
  const same = shownTexts.find(({ text, isPlain }) => isPlain && text === spelled);
  if (same === undefined && shownTexts.some((one) => one.spansIn(batch).length > 0)) {
    yield* tokens;
    return;
  }
  const spans = [...(same?.spansIn(batch) ?? []), ...batch.spansIn(spelled)];
  if (spans.length === 0) return;
  const covered = covering(spelled.length, spans);
  let start = 0;
  for (const token of tokens) {
    const end = start + token.text.length;
    yield covered.subarray(start, end).includes(1) ? token : undefined;
    start = end;
  }
}

/** One for each character of a span, else zero. */
function covering(length: number, spans: readonly Span[]): Uint8Array {
  const covered = new Uint8Array(length);
  for (const { start, end } of spans) covered.fill(1, start, end);
  return covered;
}
