import { isObject } from '../json/is-object.ts';
import { ITEM_CHARS, type Work } from '../turns.ts';
import type { ObjectNames } from './descriptor.ts';
import { objectsIn } from './objects-in-answers.ts';
import { LINE, readLine } from './objects-in-texts.ts';
import { hasIdForm } from './stored-objects.ts';

/** Batches: of OpenAI and those that follow it, of Mistral, of Anthropic. */
const BATCH = /\/(?:batches|batch\/jobs)\/[^/]+$/;
const RESULTS = /\/batches\/[^/]+\/results$/;
const CONTENT = /\/files\/([^/]+)\/content$/;

/** Returns the files that a batch wrote, from the answer that shows the batch itself. Clients cannot write them. */
export function filesOfBatch(path: string, batch: unknown): readonly string[] {
  if (!BATCH.test(path) || !isObject(batch)) return [];
  return [batch.output_file_id, batch.output_file].filter(
    (id): id is string => typeof id === 'string' && hasIdForm(id),
  );
}

/** The mark by which a file is known to have results of a batch; ids have no space. */
export function markOfResults(file: string): string {
  return `results ${file}`;
}

/** A path of results: of the batch itself, or of a file that a batch may have written. */
export function resultsAt(path: string): { readonly file?: string } | undefined {
  if (RESULTS.test(path)) return {};
  const file = CONTENT.exec(path)?.[1];
  return file === undefined ? undefined : { file };
}

/** Collects the ids in the answers of a batch's results, line by line. */
export function* objectsInResults(text: string, names: ObjectNames): Work<readonly string[]> {
  const found = new Set<string>();
  for (const [line] of text.matchAll(LINE)) {
    const { parsed } = yield* readLine(line.trim());
    for (const id of yield* objectsInResult(parsed?.value, names)) found.add(id);
    yield ITEM_CHARS;
  }
  return [...found];
}

/** `{"response": {"body": …}}` of OpenAI and those that follow it, `{"result": {"message": …}}` of Anthropic. */
export function* objectsInResult(result: unknown, names: ObjectNames): Work<readonly string[]> {
  if (!isObject(result)) return [];
  const { response, result: own } = result;
  const answer = isObject(response) ? response.body : isObject(own) ? own.message : undefined;
  if (!isObject(answer)) return [];
  const isStored = answer.object === 'response' && answer.store !== false;
  return yield* objectsIn(answer, isStored ? 'all' : 'references', names);
}
