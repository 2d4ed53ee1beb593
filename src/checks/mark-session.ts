import { newOperationId } from '../operation-id.ts';
import type { Parsed } from '../pipeline/exchange.ts';
import type { SessionStore } from './session/store.ts';

/**
 * Notes marks of policies in the session of an exchange; without a session there is nothing to remember them by. False
 * where it takes no more: whoever judges by them must then deny.
 */
export function createMarkSession({ addMark }: Pick<SessionStore, 'addMark'>) {
  return async ({ key, facts }: Parsed, marks: readonly string[]): Promise<boolean> => {
    const sessionId = facts.session?.id;
    if (sessionId === undefined) return true;
    const step = { keyHash: key.keyHash, sessionId, operationId: newOperationId() };
    const noted = await Promise.all(marks.map((mark) => addMark(step, mark)));
    return !noted.includes('full');
  };
}
