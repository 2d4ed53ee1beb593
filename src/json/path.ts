/** Position of a value in a JSON document: member names and array indexes from the root. */
export type JsonPath = readonly (string | number)[];

/** One change to a JSON document, applied to its bytes so that everything else stays as written. */
export type JsonEdit =
  | { readonly kind: 'set'; readonly path: JsonPath; readonly value: unknown }
  | { readonly kind: 'remove'; readonly path: JsonPath };
