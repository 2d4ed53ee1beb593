import { isContainer } from '../json/is-object.ts';

type Step = string | number;

export interface Level<State = undefined> {
  readonly value: object;
  /** Undefined for an array. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  next: number;
  readonly state: State;
}

/**
 * Visits a parsed document in order, without recursion. The caller decides which containers to enter and when to yield.
 *
 * @example
 * const walk = new Walk(document, undefined);
 * for (let level = walk.next(); level !== undefined; level = walk.next()) {
 *   if (typeof walk.value === 'string') read(walk.value, [...walk.path]);
 *   walk.enter(undefined);
 * }
 */
export class Walk<State> {
  /** Path of `value`. Callers must copy this array to keep it, because `next` changes it in place. */
  readonly path: Step[];
  step: Step = '';
  value: unknown;
  readonly #from: number;
  readonly #levels: Level<State>[] = [];

  /** Enters the root, whose path is `from`, without visiting it. */
  constructor(root: unknown, state: State, from: readonly Step[] = []) {
    this.path = [...from];
    this.#from = from.length;
    this.value = root;
    this.enter(state);
  }

  get depth(): number {
    return this.#levels.length;
  }

  enter(state: State): void {
    const { value } = this;
    if (!isContainer(value)) return;
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    const length = Array.isArray(value) ? value.length : (names?.length ?? 0);
    this.#levels.push({ value, names, length, next: 0, state });
  }

  /** Moves to the next member. Returns the member's container, or undefined at the end. */
  next(): Level<State> | undefined {
    const levels = this.#levels;
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      if (level.next < level.length) {
        const step = level.names === undefined ? level.next : (level.names[level.next] ?? '');
        level.next += 1;
        this.path.length = this.#from + levels.length - 1;
        this.path.push(step);
        this.step = step;
        this.value = (level.value as Readonly<Record<Step, unknown>>)[step];
        return level;
      }
      levels.pop();
    }
    return undefined;
  }
}
