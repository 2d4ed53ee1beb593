export type JsonObject = { readonly [name: string]: unknown };

/** Recognizes parsed objects: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
