import { isObject } from '../json/is-object.ts';
import { comparisonIn, staticPath } from './rego-terms.ts';

const EQUALITIES = new Set(['equal', 'eq']);
const SCALARS = new Set(['string', 'number', 'boolean']);

export interface Contradiction {
  readonly path: string;
  /** As JSON. */
  readonly first: string;
  readonly second: string;
}

/** Finds a member of the input that a body wants to equal two values. All expressions of a body must hold. */
export function contradictionIn(body: unknown): Contradiction | undefined {
  if (!Array.isArray(body)) return undefined;
  const wanted = new Map<string, string>();
  for (const expression of body) {
    const { path, value } = equalityIn(expression) ?? {};
    if (path === undefined || value === undefined) continue;
    const first = wanted.get(path) ?? value;
    if (first !== value) return { path, first, second: value };
    wanted.set(path, value);
  }
  return undefined;
}

function equalityIn(expression: unknown): { readonly path: string; readonly value: string } | undefined {
  // Under `with` an expression is asked of another input.
  if (!isObject(expression) || expression['negated'] === true || expression['with'] !== undefined)
    return undefined;
  const { operator, sides } = comparisonIn(expression['terms']) ?? {};
  if (operator === undefined || !EQUALITIES.has(operator)) return undefined;
  const path = sides?.map(staticPath).find((one) => one !== undefined);
  const literal = sides?.find(({ type }) => SCALARS.has(String(type)));
  return path === undefined || literal === undefined
    ? undefined
    : { path, value: JSON.stringify(literal['value']) };
}
