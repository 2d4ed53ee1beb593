import type { JsonObject } from '../dialect.ts';
import type { OutputModality, RequestFacts } from '../request-facts.ts';
import { settingsOf } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

/** Members that list output modalities, in every dialect and in both of Google's spellings. */
const LISTS: readonly string[] = [
  'modalities',
  'outputModalities',
  'output_modalities',
  'responseModalities',
  'response_modalities',
];

/** Settings for generated sound, images or video. Their presence implies the modality. */
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
 * Returns the non-text output modalities requested in these objects: the body, and its members that hold such
 * settings. An unknown modality counts as audio, the most expensive one.
 */
export function requestedOutputs(...places: readonly unknown[]): Pick<RequestFacts, 'outputs'> {
  const asked: OutputModality[] = [];
  for (const place of places) {
    if (!isObject(place)) continue;
    for (const name of LISTS) if (isAskedFor(place[name])) asked.push(...modalitiesIn(place[name]));
    for (const [name, output] of SETTINGS) if (isAskedFor(place[name])) asked.push(output);
  }
  return asked.length === 0 ? {} : { outputs: [...new Set(asked)] };
}

export function outputsOfBody(body: JsonObject): Pick<RequestFacts, 'outputs'> {
  const places = settingsOf(body);
  return requestedOutputs(
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

/** Google's enum may arrive as a number. */
const TEXT_WORDS: ReadonlySet<unknown> = new Set(['text', 'modality_unspecified', 'none', '0', '1']);

function modalityOf(value: unknown): OutputModality[] {
  const word = String(value).toLowerCase();
  if (TEXT_WORDS.has(word)) return [];
  if (word.startsWith('image') || word === '2') return ['image'];
  return word.startsWith('video') ? ['video'] : ['audio'];
}
