import { Walk } from '../inspect/walk.ts';
import { readDocument } from '../json/document-shape.ts';
import { isContainer, isObject } from '../json/is-object.ts';
import type { ObjectNames } from './descriptor.ts';
import { isClientsOwn } from './folded-names.ts';
import { LINE } from './objects-in-texts.ts';
import { bareId, hasIdForm, HOLDERS, isIdName, isResource, NOTES } from './stored-objects.ts';
import { ITEM_CHARS, type Work } from '../turns.ts';

/** The stored objects to collect: all, those in an unknown endpoint's own object, or only references. */
export type ObjectsWanted = 'all' | 'outside_lists' | 'references';

/** Members of answers that repeat what the client sent. */
const REPEATED: ReadonlySet<string> = new Set([
  ...[
    'document',
    'tool_output',
    'tools',
    'tool_choice',
    'prompt',
    'instructions',
    'input',
    'input_messages',
    'text',
  ],
]);
/** Arrays of objects that the answer's own object created. */
const CREATED: ReadonlySet<string> = new Set(['output', 'outputs', 'generatedSamples']);
const FILE_NAME = /(?:_file|[a-z]File)$/;

/**
 * Collects the ids by which later requests may name stored objects. Ignores what clients and models write (metadata,
 * schemas, arguments, file names), because an answer that repeats an id must not make it the key's own.
 */
export function* objectsIn(
  answer: unknown,
  wanted: ObjectsWanted,
  names: ObjectNames,
): Work<readonly string[]> {
  const found = new Set<string>();
  const walk = new Walk<Within>(answer, { name: '', readsLists: wanted !== 'outside_lists' });
  for (let level = walk.next(); level !== undefined; level = walk.next()) {
    const { step, value } = walk;
    const { state } = level;
    const name = typeof step === 'string' ? step : state.name;
    if (typeof value === 'string') {
      const isOwnId = step === 'id' && (wanted !== 'references' || HOLDERS.has(state.name));
      const isDeferred = step === 'request_id' && walk.depth === 1 && wanted !== 'references';
      const isCreated = wanted === 'outside_lists' && namesCreated(name, value, level.value);
      if (isOwnId || isDeferred || isIdName(name, names) || isCreated) found.add(bareId(value));
    } else if (isContainer(value) && !(step === name && isRepeated(name, value, walk.depth === 1))) {
      const readsLists = state.readsLists || CREATED.has(name);
      if (readsLists || !Array.isArray(value)) walk.enter({ name, readsLists });
    }
    yield ITEM_CHARS;
  }
  return [...found];
}

interface Within {
  readonly name: string;
  /** Whether arrays below this level belong to the object. */
  readonly readsLists: boolean;
}

function isRepeated(name: string, value: object, isTopLevel: boolean): boolean {
  return REPEATED.has(name) || NOTES.has(name) || isClientsOwn(name, value, isTopLevel);
}

/** Detects Google's `name` of an object without `id`, the `uri` of a video, and files that a batch wrote. */
function namesCreated(name: string, value: string, holder: object): boolean {
  if (name === 'uri') return isResource(value);
  if (name === 'name') return isResource(value) && !Object.hasOwn(holder, 'id');
  return FILE_NAME.test(name) && hasIdForm(value);
}

export function ownId(object: unknown, { own }: ObjectNames): string | undefined {
  if (!isObject(object)) return undefined;
  const found = [own === undefined ? undefined : object[own], object.id, object.name].find(
    (id) => typeof id === 'string',
  );
  return typeof found === 'string' ? bareId(found) : undefined;
}

/** Matches batch paths at OpenAI, compatible providers, Mistral and Anthropic. */
const BATCH = /\/(?:batches|batch\/jobs)\/[^/]+$/;
const RESULTS = /\/batches\/[^/]+\/results$/;
const CONTENT = /\/files\/([^/]+)\/content$/;

/** Returns the files that a batch wrote, as named in the batch object, where clients cannot set them. */
export function filesOfBatch(path: string, batch: unknown): readonly string[] {
  if (!BATCH.test(path) || !isObject(batch)) return [];
  return [batch.output_file_id, batch.output_file].filter(
    (id): id is string => typeof id === 'string' && hasIdForm(id),
  );
}

/** Returns the mark of a file with batch results. The space in it distinguishes it from ids. */
export function markOfResults(file: string): string {
  return `results ${file}`;
}

/** Returns `{}` for a path of batch results, `{file}` for a file that may contain them, or undefined. */
export function resultsAt(path: string): { readonly file?: string } | undefined {
  if (RESULTS.test(path)) return {};
  const file = CONTENT.exec(path)?.[1];
  return file === undefined ? undefined : { file };
}

export function* objectsInResults(text: string, names: ObjectNames): Work<readonly string[]> {
  const found = new Set<string>();
  for (const [line] of text.matchAll(LINE)) {
    const { parsed } = yield* readDocument(line.trim());
    for (const id of yield* objectsInResult(parsed?.value, names)) found.add(id);
    yield ITEM_CHARS;
  }
  return [...found];
}

/** Reads `{"response": {"body": …}}` (OpenAI and compatible), and `{"result": {"message": …}}` (Anthropic). */
export function* objectsInResult(result: unknown, names: ObjectNames): Work<readonly string[]> {
  if (!isObject(result)) return [];
  const { response, result: own } = result;
  const answer = isObject(response) ? response.body : isObject(own) ? own.message : undefined;
  if (!isObject(answer)) return [];
  const isStored = answer.object === 'response' && answer.store !== false;
  return yield* objectsIn(answer, isStored ? 'all' : 'references', names);
}
