import { searchSecrets, searchSecretsNow, undecidedSecretsFrom } from './secret-search.ts';
import { STEP_CHARS } from './search.ts';
import { after, inTurns, type Awaitable, type Work } from '../../turns.ts';
import type { Detector, Finding, SearchedText, StreamDetector } from '../finding.ts';

/** Finds credentials (docs/secrets.md) without their names. Blocks the event loop on more than about 100 KB. */
export const findSecrets: Detector = searchSecretsNow;

/** `findSecrets` for several texts in order, in turns of the event loop. */
export function findSecretsAll(texts: readonly string[]): Awaitable<readonly (readonly Finding[])[]> {
  return after(findSecretsUpTo(texts, Infinity), (found) => found.map(({ findings }) => findings));
}

/** The same, but gives up after `most` findings in total. */
export function findSecretsUpTo(texts: readonly string[], most: number): Awaitable<readonly SearchedText[]> {
  return inTurns(searchEach(texts, most));
}

function* searchEach(texts: readonly string[], most: number): Work<readonly SearchedText[]> {
  const results: SearchedText[] = [];
  let left = most;
  for (const text of texts) {
    const searched: SearchedText = left < 0 ? UNSEARCHED : yield* searchSecrets(text, left);
    results.push(searched);
    left = searched.isWhole ? left - searched.findings.length : -1;
    yield Math.min(text.length, STEP_CHARS);
  }
  return results;
}

const UNSEARCHED: SearchedText = { findings: [], isWhole: false };

/** `findSecrets` for streams (docs/secrets.md "Streams"). Holds back the beginning of a secret, but not its name. */
export const secretsDetector: StreamDetector = { find: findSecrets, openFrom: undecidedSecretsFrom };
