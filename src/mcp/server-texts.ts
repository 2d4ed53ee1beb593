import { Walk } from '../inspect/walk.ts';
import { ITEM_CHARS, type Work } from '../turns.ts';
import { isBlob, textsOfBlob } from './blob.ts';
import { isProtocolWord, PROTOCOL_NAMES } from './protocol-words.ts';

/**
 * Returns every text of a server's message: strings, numbers, member names outside of MCP, text in Base64, and text
 * parts joined as clients pass them to a model.
 */
export function* textsOfServerMessage(message: unknown): Work<string[]> {
  if (typeof message === 'string') return message === '' ? [] : [message];
  const texts: string[] = [];
  const parts: string[] = [];
  const walk = new Walk<string | undefined>(message, undefined);
  for (let level = walk.next(); level !== undefined; level = walk.next()) {
    const { step, value } = walk;
    const name = typeof step === 'string' ? step : level.state;
    if (typeof step === 'string' && !PROTOCOL_NAMES.has(step)) texts.push(step);
    if (typeof value === 'string') {
      if (step === 'text') parts.push(value);
      if (value !== '' && !isProtocolWord(name, value)) yield* addString(texts, value, level.value, step);
    } else if (typeof value === 'number' || typeof value === 'boolean') texts.push(String(value));
    else walk.enter(name);
    yield ITEM_CHARS;
  }
  if (parts.length > 1) texts.push(parts.join('\n'), parts.join(''));
  return texts;
}

function* addString(into: string[], text: string, holder: object, step: string | number): Work<void> {
  if (!isBlob(holder, [step])) {
    into.push(text);
    return;
  }
  const { asWritten, held } = yield* textsOfBlob(text, holder, Infinity);
  if (asWritten) into.push(text);
  if (held !== undefined) into.push(held);
}
