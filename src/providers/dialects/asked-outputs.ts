import type { JsonObject, OutputModality, RequestFacts } from '../provider.ts';
import { settingsOf } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

/** Members that list what the answer is to be, in any dialect and in Google's two spellings. */
const LISTS: readonly string[] = [
  'modalities',
  'outputModalities',
  'output_modalities',
  'responseModalities',
  'response_modalities',
];

/** Members that say how sound or pictures are to be made: nobody sends them who does not want any. */
const SETTINGS: readonly (readonly [name: string, output: OutputModality])[] = [
  ['audio', 'audio'],
  ['speechConfig', 'audio'],
  ['speech_config', 'audio'],
  ['imageConfig', 'image'],
  ['image_config', 'image'],
  ['videoConfig', 'video'],
  ['video_config', 'video'],
];

/**
 * What beside text these objects ask the answer to be: a body, and those of its members where providers keep such
 * settings. A word that is not known counts as sound, the dearest.
 */
export function askedOutputs(...places: readonly unknown[]): Pick<RequestFacts, 'outputs'> {
  const asked: OutputModality[] = [];
  for (const place of places) {
    if (!isObject(place)) continue;
    for (const name of LISTS) if (isAskedFor(place[name])) asked.push(...modalitiesIn(place[name]));
    for (const [name, output] of SETTINGS) if (isAskedFor(place[name])) asked.push(output);
  }
  return asked.length === 0 ? {} : { outputs: [...new Set(asked)] };
}

/** A body in OpenAI's style. */
export function outputsOfBody(body: JsonObject): Pick<RequestFacts, 'outputs'> {
  const places = settingsOf(body);
  return askedOutputs(
    ...places,
    ...places.flatMap((place) => [place.generationConfig, place.generation_config]),
  );
}

function modalitiesIn(value: unknown): OutputModality[] {
  return (Array.isArray(value) ? value : [value]).flatMap(modalityOf);
}

function isAskedFor(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/** Google's enumeration may come as its numbers. */
const TEXT_WORDS: ReadonlySet<unknown> = new Set(['text', 'modality_unspecified', 'none', '0', '1']);

function modalityOf(value: unknown): OutputModality[] {
  const word = String(value).toLowerCase();
  if (TEXT_WORDS.has(word)) return [];
  if (word.startsWith('image') || word === '2') return ['image'];
  return word.startsWith('video') ? ['video'] : ['audio'];
}
