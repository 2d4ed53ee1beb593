import { isObject } from '../json/is-object.ts';

/** A node of the syntax tree that `rego.parse_module` returns. */
export type Term = Readonly<Record<string, unknown>>;

/** Returns the path of an input reference up to its first dynamic member, or undefined for other terms. */
export function inputPath(term: Term): readonly string[] | undefined {
  const members = inputMembers(term);
  const end = members?.findIndex(({ type }) => type !== 'string') ?? -1;
  return members?.slice(0, end === -1 ? undefined : end).map(({ value }) => String(value));
}

/** Returns the dotted path of an input reference, or undefined unless all members are static. */
export function staticPath(term: Term): string | undefined {
  const members = inputMembers(term);
  const isStatic = members?.every(({ type }) => type === 'string') === true;
  return isStatic ? ['input', ...members.map(({ value }) => String(value))].join('.') : undefined;
}

function inputMembers({ type, value }: Term): readonly Term[] | undefined {
  if (type !== 'ref' || !Array.isArray(value)) return undefined;
  const [root, ...members] = value.map((term: unknown): Term => (isObject(term) ? term : {}));
  return root?.['value'] === 'input' ? members : undefined;
}

interface Comparison {
  readonly operator: string;
  readonly sides: readonly Term[];
}

/**
 * Returns the operator and operands of a call with two operands, such as a comparison, or undefined for other
 * expressions.
 */
export function comparisonIn(terms: unknown): Comparison | undefined {
  if (!Array.isArray(terms) || terms.length !== 3) return undefined;
  const [called, ...sides] = terms.map((term: unknown): Term => (isObject(term) ? term : {}));
  const parts = Array.isArray(called?.['value']) ? called['value'] : [];
  const operator = parts.map((part: unknown) => (isObject(part) ? String(part['value']) : '')).join('.');
  return { operator, sides };
}
