import { mask } from '../../detectors/mask.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { WholeAnswer } from '../../pipeline/exchange.ts';
import type { AnswerFacts, AnswerText } from '../../providers/provider.ts';
import { MASK } from './actions.ts';
import { visitDocument } from './document.ts';
import type { Inspected } from './inspected.ts';
import { isOpaque } from './opaque-members.ts';
import { createPassages } from './passages.ts';
import type { FindAll, Passages } from './passages.ts';
import { blankedTokens, tokenChannels } from './token-channels.ts';
import type { TokenChannel } from './token-channels.ts';

/** Shorter numbers are nothing that is looked for. */
const MIN_NUMBER = 1e8;

/**
 * Looks at every string, number and member name of an answer, whether the dialect knows it or not: errors, names,
 * citations and what comes next are read by clients as well.
 */
export async function inspectJson(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  findAll: FindAll,
): Promise<Inspected> {
  const texts = facts?.texts ?? [];
  const channels = tokenChannels(facts?.tokens ?? [], texts);
  const passages = createPassages(findAll);
  const known = new Set(texts.filter(({ editable }) => editable !== false).map(({ text }) => text));
  visitDocument(whole.json, {
    string(text, name) {
      if (known.has(text) || !isOpaque(name, text)) passages.add(text, name);
    },
    number(value, name) {
      if (Math.abs(value) >= MIN_NUMBER) passages.add(String(value), name);
    },
    memberName: (name) => passages.add(name),
  });
  for (const channel of channels) passages.add(channel.spelled);
  await passages.search();
  return {
    found: passages.found,
    mask: () => whole.edits.push(...editsOf(whole.json, texts, channels, passages)),
  };
}

function editsOf(
  json: unknown,
  texts: readonly AnswerText[],
  channels: readonly TokenChannel[],
  passages: Passages,
): JsonEdit[] {
  const signed = new Set(texts.filter((text) => text.signed === true).map(({ path }) => key(path)));
  const edits: JsonEdit[] = [];
  visitDocument(json, {
    string(text, name, path) {
      const findings = passages.findingsIn(text, name);
      if (findings.length === 0) return;
      // A signed text is taken back empty or as it was, never changed.
      const value = signed.has(key(path)) ? '' : mask(text, findings);
      edits.push({ kind: 'set', path: [...path], value });
    },
    number(value, name, path) {
      if (passages.findingsIn(String(value), name).length === 0) return;
      edits.push({ kind: 'set', path: [...path], value: MASK });
    },
    memberName(name, path) {
      if (passages.findingsIn(name).length > 0) edits.push({ kind: 'remove', path: [...path] });
    },
  });
  for (const channel of channels) edits.push(...blankedTokens(channel, passages));
  return edits;
}

function key(path: JsonPath): string {
  return JSON.stringify(path);
}
