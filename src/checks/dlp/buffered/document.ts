import { isTurnOver, nextTurn } from '../../../turns.ts';
import type { JsonPath } from '../../../json/path.ts';

/** Called for everything in a JSON document that can carry words. `path` is only lent: copy what is to be kept. */
export interface DocumentVisitor {
  /** @param name the nearest member name above it */
  string(text: string, name: string | undefined, path: JsonPath): void;
  number(value: number, name: string | undefined, path: JsonPath): void;
  /** @param path the member's own */
  memberName(name: string, path: JsonPath): void;
}

/** An object or array on the way down. */
interface Level {
  readonly value: object;
  /** Of an object's members. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  /** The nearest member name. */
  readonly name: string | undefined;
  next: number;
}

/** Values that are visited in one step. */
const STEP_VALUES = 1_024;

/** Goes through a parsed document in its order, each member's name before its value. */
export async function visitDocument(json: unknown, visitor: DocumentVisitor): Promise<void> {
  const path: (string | number)[] = [];
  const levels: Level[] = [];
  let visited = 0;
  visit(json, undefined);

  function visit(value: unknown, name: string | undefined): void {
    if (typeof value === 'string') {
      if (value !== '') visitor.string(value, name, path);
    } else if (typeof value === 'number') visitor.number(value, name, path);
    else if (typeof value === 'object' && value !== null) levels.push(levelOf(value, name));
  }

  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    path.length = levels.length - 1;
    if (level.next === level.length) {
      levels.pop();
      continue;
    }
    const step = level.names === undefined ? level.next : (level.names[level.next] ?? '');
    level.next += 1;
    path.push(step);
    if (typeof step === 'string') visitor.memberName(step, path);
    const value = (level.value as Record<string | number, unknown>)[step];
    visit(value, typeof step === 'string' ? step : level.name);
    if (++visited % STEP_VALUES === 0 && isTurnOver()) await nextTurn();
  }
}

function levelOf(value: object, name: string | undefined): Level {
  if (Array.isArray(value)) return { value, names: undefined, length: value.length, name, next: 0 };
  const names = Object.keys(value);
  return { value, names, length: names.length, name, next: 0 };
}
