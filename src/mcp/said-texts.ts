import { isContainer } from '../json/count-members.ts';
import { levelOf, type Level } from '../json/levels.ts';
import { ITEM_CHARS, type Work } from '../turns.ts';
import { isBlob, textsOfBlob } from './blob.ts';
import { isProtocolWord, PROTOCOL_NAMES } from './protocol-words.ts';

type Step = string | number;

/**
 * Reads every text of a server's message, whole or from an event: strings, numbers, member names outside MCP, text in
 * base64, and text parts joined as clients pass them to a model.
 */
export function* saidTexts(message: unknown): Work<string[]> {
  if (typeof message === 'string') return message === '' ? [] : [message];
  const texts: string[] = [];
  const parts: string[] = [];
  const levels: Level[] = isContainer(message) ? [levelOf(message)] : [];
  const path: Step[] = [];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    path.length = levels.length - 1;
    if (level.next === level.length) {
      levels.pop();
      continue;
    }
    const step = level.names?.[level.next] ?? level.next;
    level.next += 1;
    const value = (level.value as Readonly<Record<Step, unknown>>)[step];
    if (typeof step === 'string' && !PROTOCOL_NAMES.has(step)) texts.push(step);
    if (isContainer(value)) {
      path.push(step);
      levels.push(levelOf(value));
    } else if (typeof value === 'string') {
      const name = typeof step === 'string' ? step : path.findLast((one) => typeof one === 'string');
      if (step === 'text') parts.push(value);
      if (value !== '' && !isProtocolWord(name, value)) yield* addString(texts, value, level.value, step);
    } else if (typeof value === 'number' || typeof value === 'boolean') texts.push(String(value));
    yield ITEM_CHARS;
  }
  if (parts.length > 1) texts.push(parts.join('\n'), parts.join(''));
  return texts;
}

function* addString(into: string[], text: string, holder: object, step: Step): Work<void> {
  if (!isBlob(holder, [step])) {
    into.push(text);
    return;
  }
  const { asWritten, held } = yield* textsOfBlob(text, holder, Infinity);
  if (asWritten) into.push(text);
  if (held !== undefined) into.push(held);
}
