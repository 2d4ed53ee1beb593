import { ITEM_CHARS } from '../../turns.ts';
import type { Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText } from '../provider.ts';

/**
 * Texts of one name that clients join into one, as a member of an answer's facts: absent where there are none. Arguments
 * are each a document of its own.
 * @param nameOf undefined for a text that stands alone
 */
export function* joinedMember(
  texts: readonly AnswerText[],
  nameOf: (text: AnswerText) => string | undefined,
): Work<Pick<AnswerFacts, 'joined'>> {
  const named = new Map<string, AnswerText[]>();
  for (const text of texts) {
    const name = text.kind === 'tool_arguments' || text.editable === false ? undefined : nameOf(text);
    if (name === undefined) continue;
    const known = named.get(name);
    if (known === undefined) named.set(name, [text]);
    else known.push(text);
    yield ITEM_CHARS;
  }
  const joined = [...named.values()].filter(({ length }) => length > 1);
  return joined.length === 0 ? {} : { joined };
}
