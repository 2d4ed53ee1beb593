import type { Frame } from '../../streams/frame.ts';
import { ITEM_CHARS, stepwise, type Work } from '../../turns.ts';
import type { AnswerText, StreamEvent, StreamReader, TextDelta } from '../provider.ts';
import { plainCut } from './error-frames.ts';
import { parseJson } from './fields.ts';
import { isObject } from '../../json/is-object.ts';
import { levelOf, nextLevel, type Level } from '../../json/levels.ts';

/** A string in a document of no known dialect. */
interface LooseText {
  readonly text: string;
  readonly path: readonly (string | number)[];
  /** Where it stands, by the indexes that elements give themselves: the same in each event that goes on with it. */
  readonly place: string;
  /** It may be a piece of a text; what names, types or times something is none. */
  readonly mayGoOn: boolean;
}

/**
 * Reads a stream of no known dialect: an endpoint that the gateway does not know, or an error. Every string is a text
 * whose channel is its place; none counts as the model's.
 */
export function createAnyJsonReader(): StreamReader {
  return {
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const json = parseJson(frame.data);
      const deltas: TextDelta[] = [];
      yield* walkAnyJson(json, ({ text, path, place, mayGoOn }) => {
        const delta = { channel: `any/${place}`, kind: 'text', text, path, repeats: true } as const;
        deltas.push(mayGoOn ? { ...delta, loose: true } : delta);
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

/** The texts of a list of documents, which a client may read as a stream: those of one place are one text. */
export function* textsOverElements(elements: readonly unknown[]): Work<readonly (readonly AnswerText[])[]> {
  const byPlace = new Map<string, AnswerText[]>();
  for (const [index, element] of elements.entries()) {
    yield* walkAnyJson(element, ({ text, path, place, mayGoOn }) => {
      if (!mayGoOn) return;
      const one: AnswerText = { kind: 'text', text, path: [index, ...path] };
      const known = byPlace.get(place);
      if (known === undefined) byPlace.set(place, [one]);
      else known.push(one);
    });
    yield ITEM_CHARS;
  }
  return [...byPlace.values()].filter(({ length }) => length > 1);
}

interface PlacedLevel extends Level {
  readonly place: string;
  /** The nearest member name. */
  readonly name: string | undefined;
}

/** Parts that are looked at in one step. */
const STEP_PARTS = 16;

/** The path is one stack, copied for what is found. */
function* walkAnyJson(root: unknown, onText: (found: LooseText) => void): Work<void> {
  const path: (string | number)[] = [];
  const levels: PlacedLevel[] = [];
  let parts = 0;
  visit(root, '', undefined);

  function visit(value: unknown, place: string, name: string | undefined): void {
    if (typeof value === 'string') {
      if (value !== '') onText({ text: value, path: [...path], place, mayGoOn: !isLabel(name, value) });
    } else if (typeof value === 'object' && value !== null) {
      levels.push({ ...levelOf(value), place: placeWithin(value, place, path.at(-1)), name });
    }
  }

  for (let level = nextLevel(levels, path); level !== undefined; level = nextLevel(levels, path)) {
    const step = path[levels.length - 1] ?? '';
    const value = (level.value as Readonly<Record<string | number, unknown>>)[step];
    if (typeof step === 'string') visit(value, placeOfMember(level.place, step), step);
    else visit(value, placeOfMember(level.place, ownIndex(value) ?? step), level.name);
    parts += 1;
    if (parts % STEP_PARTS === 0) yield STEP_PARTS * ITEM_CHARS;
  }
}

/** @param step that led to it */
function placeWithin(value: object, place: string, step: string | number | undefined): string {
  // Of an array's element its place says so already.
  const index = typeof step === 'number' ? undefined : ownIndex(value);
  return index === undefined ? place : placeOfMember(place, index);
}

function placeOfMember(place: string, step: string | number): string {
  return place === '' ? String(step) : `${place}.${step}`;
}

const INDEX = /index$/i;

/** What an element says of its own place (`index`, `contentBlockIndex`): texts that run at once are told by it. */
function ownIndex(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const indexes = Object.keys(value).filter((name) => INDEX.test(name) && typeof value[name] === 'number');
  return indexes.length === 0 ? undefined : indexes.map((name) => `${name}=${String(value[name])}`).join(',');
}

const LABEL_NAMES =
  /^(?:object|role|model|name|event|kind|status|state|version|timestamp|created_?at|.{0,40}id|.{0,40}reason|.{0,40}type|.{0,40}fingerprint)$/i;
const LABEL = /^[\w.:+/-]{1,128}$/;

/** What says which, of what kind or when, in one word: no client joins those of two events. */
function isLabel(name: string | undefined, value: string): boolean {
  return name !== undefined && value.length <= 128 && LABEL_NAMES.test(name) && LABEL.test(value);
}
