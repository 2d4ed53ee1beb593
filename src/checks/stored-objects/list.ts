import { isContainer } from '../../json/is-object.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { ObjectNames } from '../../providers/descriptor.ts';
import { ownId } from '../../providers/objects-in-answers.ts';

/** An element of a list in an answer. */
export interface ListedObject {
  readonly id: string | undefined;
  readonly remove: JsonEdit;
}

/** The parts of an answer that lists what is stored at a provider. */
interface StoredList {
  readonly elements: readonly ListedObject[];
  /** Members that are neither a list nor a single value, and could contain objects of other keys. */
  readonly others: readonly JsonEdit[];
}

/** Reads a list of stored objects: an array, or an object with arrays and single values. */
export function readStoredList(json: unknown, names: ObjectNames): StoredList | undefined {
  if (Array.isArray(json)) return { elements: elementsOf(json, [], names), others: [] };
  if (!isContainer(json)) return undefined;
  const members = Object.entries(json);
  return {
    elements: members.flatMap(([name, value]) =>
      Array.isArray(value) ? elementsOf(value, [name], names) : [],
    ),
    others: members.flatMap(([name, value]): JsonEdit[] =>
      isContainer(value) && !Array.isArray(value) ? [{ kind: 'remove', path: [name] }] : [],
    ),
  };
}

function elementsOf(list: readonly unknown[], path: readonly string[], names: ObjectNames): ListedObject[] {
  return list.map((element, index) => ({
    id: ownId(element, names),
    remove: { kind: 'remove', path: [...path, index] },
  }));
}
