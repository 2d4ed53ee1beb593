import type { TokenText } from '../../../providers/provider.ts';
import type { BufferSpan, EventText, EventToken } from './read-event.ts';

/** The tokens of an event that belong to one of its channels. */
export interface TokenGroup {
  readonly channel: string;
  readonly tokens: readonly TokenText[];
  /** What they spell together. */
  readonly spelled: string;
  /** The event's own texts of that channel. */
  readonly texts: readonly EventText[];
}

export function tokenGroups(
  tokens: readonly TokenText[],
  texts: readonly EventText[],
): readonly TokenGroup[] {
  const byChannel = Map.groupBy(texts, ({ delta }) => delta.channel);
  return [...Map.groupBy(tokens, ({ channel }) => channel)].map(([channel, spelling]) => ({
    channel,
    tokens: spelling,
    spelled: spelling.map(({ text }) => text).join(''),
    texts: byChannel.get(channel) ?? [],
  }));
}

/** Where the event's own text stands if the tokens spell it; undefined if they do not. */
export function spelledText({ spelled, texts }: TokenGroup): BufferSpan | undefined {
  const [first] = texts;
  const last = texts.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const isOne = texts.every(({ buffer }) => buffer === first.buffer);
  if (!isOne || texts.map(({ delta }) => delta.text).join('') !== spelled) return undefined;
  return { buffer: first.buffer, from: first.from, to: last.to };
}

/** The tokens as parts of the text that they spell, from one of its offsets on. */
export function* tokensOf(
  { tokens }: TokenGroup,
  { buffer, from }: Pick<BufferSpan, 'buffer' | 'from'>,
  standFor: readonly BufferSpan[] = [],
): Generator<EventToken, void> {
  let start = from;
  for (const { text, blank } of tokens) {
    const to = start + text.length;
    yield { buffer, from: start, to, blank, standFor };
    start = to;
  }
}
