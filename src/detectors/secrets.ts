import { setImmediate as nextTurn } from 'node:timers/promises';
import { searchSecrets, STEP_CHARS } from './secret-scan.ts';
import type { Detector, Finding } from './finding.ts';

/**
 * Finds credentials: cloud and provider keys, repository and chat tokens, JWTs, PEM private keys (docs/secrets.md has
 * the classes). Each finding spans the whole secret, without its name. For texts of more than some 100 KB
 * `findSecretsAll` keeps the event loop free.
 */
export const findSecrets: Detector = (text) => {
  const search = searchSecrets(text);
  for (;;) {
    const step = search.next();
    if (step.done === true) return step.value;
  }
};

/**
 * `findSecrets` for several texts, in their order, giving way to the event loop after every 16,384 characters. Nothing
 * is cut: a secret that lies across a turn is found like any other.
 */
export async function findSecretsAll(texts: readonly string[]): Promise<readonly (readonly Finding[])[]> {
  const results: (readonly Finding[])[] = [];
  let chars = 0;
  for (const text of texts) {
    chars += text.length;
    const search = searchSecrets(text);
    let step = search.next();
    while (step.done !== true) {
      chars = text.length;
      await nextTurn();
      step = search.next();
    }
    results.push(step.value);
    if (chars < STEP_CHARS) continue;
    chars = 0;
    await nextTurn();
  }
  return results;
}
