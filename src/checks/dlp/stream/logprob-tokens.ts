import type { TokenText } from '../../../providers/provider.ts';
import type { Piece, SpelledToken, Stretch } from './stream-entry.ts';

/** The tokens of an event that belong to one of its channels. */
export interface TokenGroup {
  readonly channel: string;
  readonly tokens: readonly TokenText[];
  /** What they spell together. */
  readonly spelled: string;
  /** The event's own texts of that channel. */
  readonly pieces: readonly Piece[];
}

export function tokenGroups(tokens: readonly TokenText[], pieces: readonly Piece[]): readonly TokenGroup[] {
  const piecesOf = Map.groupBy(pieces, ({ delta }) => delta.channel);
  return [...Map.groupBy(tokens, ({ channel }) => channel)].map(([channel, spelling]) => ({
    channel,
    tokens: spelling,
    spelled: spelling.map(({ text }) => text).join(''),
    pieces: piecesOf.get(channel) ?? [],
  }));
}

/** Where the event's own text stands if the tokens spell it; undefined if they do not. */
export function spelledText({ spelled, pieces }: TokenGroup): Stretch | undefined {
  const [first] = pieces;
  const last = pieces.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const isOne = pieces.every(({ buffer }) => buffer === first.buffer);
  if (!isOne || pieces.map(({ delta }) => delta.text).join('') !== spelled) return undefined;
  return { buffer: first.buffer, from: first.from, to: last.to };
}

/** The tokens as parts of the text that they spell, from one of its offsets on. */
export function* tokensOf(
  { tokens }: TokenGroup,
  { buffer, from }: Pick<Stretch, 'buffer' | 'from'>,
  beside: readonly Stretch[] = [],
): Generator<SpelledToken, void> {
  let start = from;
  for (const { text, blank } of tokens) {
    const to = start + text.length;
    yield { buffer, from: start, to, blank, beside };
    start = to;
  }
}
