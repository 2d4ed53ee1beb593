import type { JsonPath } from '../../../json/path.ts';
import type { StreamEvent } from '../../../providers/provider.ts';
import { ITEM_CHARS } from '../../../turns.ts';
import type { Work } from '../../../turns.ts';

/** Places in an event's JSON; `true` is one, with all that is below it. */
export type Marks = ReadonlyMap<string | number, MarksBelow>;
type MarksBelow = Marks | true;
type MarksInMaking = Map<string | number, MarksInMaking | true>;

/** Where an event's texts and tokens stand. Most events of a stream have their one text at one place. */
export class EventMarks {
  #paths: readonly JsonPath[] = [];
  #marks: Marks = new Map();

  *of({ deltas, tokens }: StreamEvent): Work<Marks> {
    const paths = deltas.map(({ path }) => path);
    for (const { blank } of tokens ?? []) for (const { path } of blank) paths.push(path);
    if (!areSame(paths, this.#paths)) {
      this.#marks = yield* marksAt(paths);
      this.#paths = paths;
    }
    return this.#marks;
  }
}

function* marksAt(paths: readonly JsonPath[]): Work<Marks> {
  const root: MarksInMaking = new Map();
  for (const path of paths) {
    let marks: MarksInMaking = root;
    for (const [depth, step] of path.entries()) {
      const below = marks.get(step);
      if (below === true) break;
      if (depth === path.length - 1) {
        marks.set(step, true);
        break;
      }
      const next: MarksInMaking = below ?? new Map();
      if (below === undefined) marks.set(step, next);
      marks = next;
    }
    yield ITEM_CHARS;
  }
  return root;
}

function areSame(one: readonly JsonPath[], other: readonly JsonPath[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (!isSame(one[index] ?? [], other[index] ?? [])) return false;
  }
  return true;
}

function isSame(one: JsonPath, other: JsonPath): boolean {
  if (one.length !== other.length) return false;
  for (let depth = 0; depth < one.length; depth += 1) if (one[depth] !== other[depth]) return false;
  return true;
}
