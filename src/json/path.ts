/** Member names and array indexes from the root. */
export type JsonPath = readonly (string | number)[];

/** A change to a document's bytes, which leaves all others as written. */
export type JsonEdit =
  | { readonly kind: 'set'; readonly path: JsonPath; readonly value: unknown }
  | { readonly kind: 'remove'; readonly path: JsonPath };
