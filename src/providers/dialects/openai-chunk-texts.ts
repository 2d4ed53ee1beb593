import { isObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import type { Work } from '../../turns.ts';
import type { JsonObject, TextDelta } from '../dialect.ts';
import {
  createCallNames,
  readChoiceTexts,
  wholeCall,
  type ChoiceTexts,
  type MessageMember,
} from './openai-choice-texts.ts';

type ReadChunkTexts = (into: ChoiceTexts, choice: JsonObject, index: number, path: JsonPath) => Work<void>;

/**
 * Reads the texts of one choice, chunk by chunk. Most servers stream `delta`; Mistral on Bedrock streams `message`.
 * If a choice has both, the first to carry text streams it and the other is read as a copy, because clients differ in
 * which they show.
 */
export function createChunkTexts(): ReadChunkTexts {
  const nameCall = createCallNames();
  const speakers = new Map<number, MessageMember>();

  function* readMember(
    into: ChoiceTexts,
    choice: JsonObject,
    index: number,
    path: JsonPath,
    member: MessageMember,
  ): Work<void> {
    const speaker = speakers.get(index);
    const isOther = speaker !== undefined && speaker !== member;
    const before = into.deltas.length;
    const said: Required<ChoiceTexts> = { deltas: [], ends: [], begins: [] };
    const alone = { [member]: choice[member] };
    yield* readChoiceTexts(said, alone, index, path, member, isOther ? wholeCall : nameCall);
    if (said.deltas.length > 0 && speaker === undefined) speakers.set(index, member);
    const own = `${index}/`;
    const beside = (channel: string): string => `${own}${member}/${channel.slice(own.length)}`;
    for (const delta of said.deltas) {
      into.deltas.push(isOther ? { ...delta, channel: beside(delta.channel), copies: delta.channel } : delta);
    }
    for (const one of isOther ? [] : said.begins) {
      into.begins?.push({ ...one, before: one.before + before });
    }
    for (const channel of said.ends) into.ends.push(isOther ? beside(channel) : channel);
  }

  return function* (into, choice, index, path) {
    const hasMessage = isObject(choice.message);
    const hasDelta = isObject(choice.delta);
    const isPlain =
      !hasMessage && (!hasDelta || choice.text === undefined) && speakers.get(index) !== 'message';
    if (isPlain) {
      const before = into.deltas.length;
      yield* readChoiceTexts(into, choice, index, path, 'delta', nameCall);
      if (hasDelta && into.deltas.length > before) speakers.set(index, 'delta');
      return;
    }
    const before = into.deltas.length;
    if (hasDelta) yield* readMember(into, choice, index, path, 'delta');
    if (hasMessage) yield* readMember(into, choice, index, path, 'message');
    const beside = textBeside(choice, index, path, into.deltas.slice(before));
    if (beside !== undefined) into.deltas.push(beside);
  };
}

/** Reads `text`, in which Together repeats `delta`. */
function textBeside(
  { text }: JsonObject,
  index: number,
  path: JsonPath,
  said: readonly TextDelta[],
): TextDelta | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const isMirror = said.some((delta) => delta.text === text);
  const beside = { channel: `${index}/beside/text`, kind: 'text', text, path: [...path, 'text'] } as const;
  return isMirror ? beside : { ...beside, copies: `${index}/text` };
}
