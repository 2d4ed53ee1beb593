export type JsonObject = { readonly [name: string]: unknown };

/** Reports whether a parsed value is an object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
