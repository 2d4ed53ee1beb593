import type { PolicyCall } from '../call.ts';
import type { Comparison, Operator } from './card-schema.ts';
import { argumentsAt, type Field } from './fields.ts';
import { compileRegex } from './text-patterns.ts';
import { anyOf, notOf, type Scene, type Test } from './truth.ts';

/**
 * Returns a test that compares a field with a rule's value. A list matches if one element does.
 * @param ignoreCase for `contains`
 */
export function valueTest(field: Field, { field: name, op, value }: Comparison, ignoreCase: boolean): Test {
  const read = (scene: Scene): readonly unknown[] => valuesOf(field, scene.call);
  switch (op) {
    case 'exists': {
      const wanted = value ?? true;
      if (typeof wanted !== 'boolean') throw new Error('exists needs true or false');
      return (scene) => read(scene).some((item) => item !== '') === wanted;
    }
    case 'equals':
      return isAnyOf(read, [scalarOf(value, op, field, name)]);
    case 'not_equals': {
      const test = isAnyOf(read, [scalarOf(value, op, field, name)]);
      return (scene) => notOf(test(scene));
    }
    case 'in':
      if (!Array.isArray(value) || value.length === 0) throw new Error('in needs a list');
      return isAnyOf(read, value);
    case 'contains':
      return contains(read, {
        wanted: textValues(value, op),
        isList: field.kind === 'value' && field.isList,
        ignoreCase,
      });
    case 'matches_regex':
      return matchesRegex(read, textValue(value, op));
    default:
      return compares(read, op, value);
  }
}

function valuesOf(field: Field, call: PolicyCall): readonly unknown[] {
  if (field.kind === 'prompt') return call.texts.map(({ raw }) => raw);
  if (field.kind === 'argument') return argumentsAt(call, field.path);
  const value = field.read(call);
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter((item) => item !== undefined);
}

type Read = (scene: Scene) => readonly unknown[];

function scalarOf(
  value: Comparison['value'],
  op: Operator,
  field: Field,
  name: string,
): string | number | boolean {
  if (field.kind === 'value' && field.isList) throw new Error(`${name} is a list: use contains`);
  if (value === undefined || typeof value === 'object')
    throw new Error(`${op} needs a string, a number, or true or false`);
  return value;
}

/** Numbers equal their text forms, because recipients may accept both. */
function isAnyOf(read: Read, wanted: readonly unknown[]): Test {
  const texts = new Set(wanted.map(String));
  return (scene) => read(scene).some((item) => isScalar(item) && texts.has(String(item)));
}

function contains(
  read: Read,
  {
    wanted,
    isList,
    ignoreCase,
  }: { readonly wanted: readonly string[]; readonly isList: boolean; readonly ignoreCase: boolean },
): Test {
  const cased = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const texts = wanted.map(cased);
  return (scene) =>
    read(scene).some((item) => {
      if (typeof item !== 'string') return false;
      const there = cased(item);
      return texts.some((text) => there === text || (!isList && there.includes(text)));
    });
}

function matchesRegex(read: Read, source: string): Test {
  const regex = compileRegex(source);
  return (scene) => read(scene).some((item) => isScalar(item) && regex.test(String(item)));
}

const COMPARE = {
  gt: (a: number, b: number) => a > b,
  gte: (a: number, b: number) => a >= b,
  lt: (a: number, b: number) => a < b,
  lte: (a: number, b: number) => a <= b,
} as const;

function compares(read: Read, op: Operator, value: Comparison['value']): Test {
  const compare = COMPARE[op as keyof typeof COMPARE];
  const bound = numberOf(value);
  if (bound === undefined) throw new Error(`${op} needs a number`);
  return (scene) =>
    anyOf(read(scene), (item) => {
      const number = numberOf(item);
      return number === undefined ? undefined : compare(number, bound);
    });
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

export function textValues(value: Comparison['value'], op: Operator): readonly string[] {
  if (!Array.isArray(value)) return [textValue(value, op)];
  if (value.length === 0) throw new Error(`${op} needs a string, or a list of strings`);
  return value.map((item) => textValue(item, op));
}

export function textValue(value: Comparison['value'], op: Operator): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || value === '') throw new Error(`${op} needs a string`);
  return value;
}
