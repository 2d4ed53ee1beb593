import { Walk } from '../inspect/walk.ts';
import { isTurnOver, ITEM_CHARS, nextTurn } from '../turns.ts';
import { isBlob, textsOfBlob } from './blob.ts';
import { isProtocolWord, PROTOCOL_NAMES } from './protocol-words.ts';

/**
 * Returns the texts of a server's message, or of another answer without a dialect: strings (except protocol words),
 * numbers, booleans, non-MCP member names, decoded Base64, and text parts joined as clients pass them to a model.
 */
export async function textsOfServerMessage(message: unknown): Promise<string[]> {
  if (typeof message === 'string') return message === '' ? [] : [message];
  const texts: string[] = [];
  const parts: string[] = [];
  const walk = new Walk<string | undefined>(message, undefined);
  for (let level = walk.next(); level !== undefined; level = walk.next()) {
    if (isTurnOver(ITEM_CHARS)) await nextTurn();
    const { step, value } = walk;
    const name = typeof step === 'string' ? step : level.state;
    if (typeof step === 'string' && !PROTOCOL_NAMES.has(step)) texts.push(step);
    if (typeof value === 'string') {
      if (step === 'text') parts.push(value);
      if (value === '' || isProtocolWord(name, value)) continue;
      if (!isBlob(level.value, [step])) texts.push(value);
      else {
        const { asWritten, held } = await textsOfBlob(value, level.value, Infinity);
        if (asWritten) texts.push(value);
        if (held !== undefined) texts.push(held);
      }
    } else if (typeof value === 'number' || typeof value === 'boolean') texts.push(String(value));
    else walk.enter(name);
  }
  if (parts.length > 1) texts.push(parts.join('\n'), parts.join(''));
  return texts;
}
