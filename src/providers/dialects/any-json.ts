import type { Frame } from '../../streams/frame.ts';
import { ITEM_CHARS, stepwise, type Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText, StreamEvent, StreamReader, TextDelta } from '../dialect.ts';
import { plainCut } from './error-frames.ts';
import { parseJson } from './fields.ts';
import { EMPTY_ANSWER } from './model-list.ts';
import { isObject } from '../../json/is-object.ts';
import { Walk } from '../../inspect/walk.ts';

interface LooseText {
  readonly text: string;
  readonly path: readonly (string | number)[];
  /** Path of member names and of the elements' own indexes; the same in all events that continue a text. */
  readonly place: string;
  /** False for labels (names, types, times), which never continue in a later event. */
  readonly mayContinue: boolean;
}

/**
 * Returns a reader for errors and for streams of unknown endpoints. Each string is a text with its `place` as the
 * channel.
 */
export function createAnyJsonReader(): StreamReader {
  return {
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const json = parseJson(frame);
      const deltas: TextDelta[] = [];
      yield* walkAnyJson(json, ({ text, path, place, mayContinue }) => {
        const delta = { channel: `any/${place}`, kind: 'text', text, path, repeats: true } as const;
        deltas.push(mayContinue ? { ...delta, loose: true } : delta);
      });
      return {
        frame,
        deltas,
        ...(json !== undefined && { json }),
        ...(frame.data === '[DONE]' && { ends: ['*'] }),
      };
    }),
    cut: plainCut,
  };
}

/** Groups texts with the same `place` in the elements of an array, which clients may treat as a stream. */
export const readElements = stepwise(function* (elements: unknown): Work<AnswerFacts> {
  if (!Array.isArray(elements)) return EMPTY_ANSWER;
  const byPlace = new Map<string, AnswerText[]>();
  for (const [index, element] of elements.entries()) {
    yield* walkAnyJson(element, ({ text, path, place, mayContinue }) => {
      if (!mayContinue) return;
      const found: AnswerText = { kind: 'text', text, path: [index, ...path] };
      const known = byPlace.get(place);
      if (known === undefined) byPlace.set(place, [found]);
      else known.push(found);
    });
    yield ITEM_CHARS;
  }
  return { ...EMPTY_ANSWER, joined: [...byPlace.values()].filter(({ length }) => length > 1) };
});

interface State {
  readonly place: string;
  readonly name: string | undefined;
}

const STEP_PARTS = 16;

function* walkAnyJson(root: unknown, onText: (found: LooseText) => void): Work<void> {
  const walk = new Walk<State>(root, { place: placeWithin(root, '', undefined), name: undefined });
  let parts = 0;
  if (typeof root === 'string') visit(root, '', undefined);

  function visit(text: string, place: string, name: string | undefined): void {
    if (text !== '') onText({ text, path: [...walk.path], place, mayContinue: !isLabel(name, text) });
  }

  for (let level = walk.next(); level !== undefined; level = walk.next()) {
    const { step, value } = walk;
    const isMember = typeof step === 'string';
    const place = placeOfMember(level.state.place, isMember ? step : (ownIndex(value) ?? step));
    const name = isMember ? step : level.state.name;
    if (typeof value === 'string') visit(value, place, name);
    else walk.enter({ place: placeWithin(value, place, step), name });
    parts += 1;
    if (parts % STEP_PARTS === 0) yield STEP_PARTS * ITEM_CHARS;
  }
}

/** @param step the last step of the path to `value` */
function placeWithin(value: unknown, place: string, step: string | number | undefined): string {
  // The path of an array element already contains its index.
  const index = typeof step === 'number' ? undefined : ownIndex(value);
  return index === undefined ? place : placeOfMember(place, index);
}

function placeOfMember(place: string, step: string | number): string {
  return place === '' ? String(step) : `${place}.${step}`;
}

const INDEX = /index$/i;

/** Returns an element's own index members (`index`, `contentBlockIndex`), which distinguish interleaved texts. */
function ownIndex(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const indexes = Object.keys(value).filter((name) => INDEX.test(name) && typeof value[name] === 'number');
  return indexes.length === 0 ? undefined : indexes.map((name) => `${name}=${String(value[name])}`).join(',');
}

const LABEL_NAMES =
  /^(?:object|role|model|name|event|kind|status|state|version|timestamp|created_?at|.{0,40}id|.{0,40}reason|.{0,40}type|.{0,40}fingerprint)$/i;
const LABEL = /^[\w.:+/-]{1,128}$/;

/** Reports whether a string is a one-word name, type or time, which clients never join across events. */
function isLabel(name: string | undefined, value: string): boolean {
  return name !== undefined && value.length <= 128 && LABEL_NAMES.test(name) && LABEL.test(value);
}
