/** Where a value stands in a JSON document: member names and array indexes from the root. */
export type JsonPath = readonly (string | number)[];

/** One change to a JSON document, applied to its bytes so that everything else stays as the client wrote it. */
export type JsonEdit =
  | { readonly kind: 'set'; readonly path: JsonPath; readonly value: unknown }
  | { readonly kind: 'remove'; readonly path: JsonPath };
