import type { JsonObject, OutputModality, RequestFacts } from '../provider.ts';
import { objectOf } from './fields.ts';
import { camelName } from './gemini-fields.ts';

/** Members that list what the answer is to be, in any dialect and in Google's two spellings. */
const LISTS: ReadonlySet<string> = new Set(['modalities', 'outputModalities', 'responseModalities']);

/** Members that say how sound or pictures are to be made: nobody sends them who does not want any. */
const SETTINGS: ReadonlyMap<string, OutputModality> = new Map([
  ['audio', 'audio'],
  ['speechConfig', 'audio'],
  ['imageConfig', 'image'],
  ['videoConfig', 'video'],
]);

/**
 * What beside text these objects ask the answer to be: a body, and those of its members where providers keep such
 * settings. A word that is not known counts as sound, the dearest.
 */
export function askedOutputs(...places: readonly unknown[]): Pick<RequestFacts, 'outputs'> {
  const asked = new Set<OutputModality>();
  for (const place of places) {
    for (const [name, value] of Object.entries(objectOf(place))) {
      for (const output of outputsOf(camelName(name), value)) asked.add(output);
    }
  }
  return asked.size === 0 ? {} : { outputs: [...asked] };
}

/** A body in OpenAI's style, and where Google's switches come in one: clients write `extra_body` out, or send it as such. */
export function outputsOfBody(body: JsonObject): Pick<RequestFacts, 'outputs'> {
  const extra = objectOf(body.extra_body);
  const places = [body, extra, objectOf(body.google), objectOf(extra.google)];
  return askedOutputs(
    ...places,
    ...places.flatMap((place) => [place.generationConfig, place.generation_config]),
  );
}

function outputsOf(name: string, value: unknown): OutputModality[] {
  if (value === undefined || value === null || value === false) return [];
  if (LISTS.has(name)) return (Array.isArray(value) ? value : [value]).flatMap(modalityOf);
  const setting = SETTINGS.get(name);
  return setting === undefined ? [] : [setting];
}

/** Google's enumeration may come as its numbers. */
const TEXT_WORDS: ReadonlySet<unknown> = new Set(['text', 'modality_unspecified', 'none', '0', '1']);

function modalityOf(value: unknown): OutputModality[] {
  const word = String(value).toLowerCase();
  if (TEXT_WORDS.has(word)) return [];
  if (word.startsWith('image') || word === '2') return ['image'];
  return word.startsWith('video') ? ['video'] : ['audio'];
}
