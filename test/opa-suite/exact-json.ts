/**
 * JSON with exact integers: OPA's numbers have any size, and JavaScript would make different ones equal. A
 * value holds bigints for integers and numbers for the rest.
 */
export type Exact =
  string | number | bigint | boolean | null | readonly Exact[] | { readonly [name: string]: Exact };

/** The reviver context of `JSON.parse` with the source text of a value, which TypeScript's library lacks. */
type ParseWithSource = (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

export function parseExact(text: string): Exact {
  return (JSON.parse as ParseWithSource)(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exactNumber(value, source) : value,
  ) as Exact;
}

function exactNumber(value: number, source: string): number | bigint {
  return /^-?\d+$/u.test(source) ? BigInt(source) : value;
}

/** Returns the same text for equal values: members in order, one form for each number. */
export function writeExact(value: Exact): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(BigInt(value)) : String(value);
  if (isList(value)) return `[${value.map(writeExact).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${writeExact(value[name] ?? null)}`);
  return `{${members.join(',')}}`;
}

export function isList(value: Exact): value is readonly Exact[] {
  return Array.isArray(value);
}
