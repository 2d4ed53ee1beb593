import { isContainer } from './is-object.ts';

/** Member names and array indexes from the root. */
export type JsonPath = readonly (string | number)[];

/** An edit of a document. All other bytes stay as written. */
export type JsonEdit =
  | { readonly kind: 'set'; readonly path: JsonPath; readonly value: unknown }
  | { readonly kind: 'remove'; readonly path: JsonPath };

export function valueAt(json: unknown, path: JsonPath): unknown {
  let at = json;
  for (const step of path) at = ownMember(at, step);
  return at;
}

export function ownMember(value: unknown, step: string | number): unknown {
  if (!isContainer(value) || !Object.hasOwn(value, step)) return undefined;
  return (value as Record<string | number, unknown>)[step];
}

/** Sets an own member, even one named `__proto__`. */
export function setOwn(into: object, name: string, value: unknown): void {
  if (name !== '__proto__') (into as Record<string, unknown>)[name] = value;
  else Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
}
