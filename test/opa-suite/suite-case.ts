import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { isList, parseExact, writeExact, type Exact } from './exact-json.ts';

const exact = z.custom<Exact>();

/** A case in OPA's format (documented in v1/test/cases/cases.go of its module). */
const suiteCase = z.strictObject({
  note: z.string(),
  query: z.string(),
  modules: z.array(z.string()).nullish(),
  data: exact.nullish(),
  input: exact.optional(),
  input_term: z.string().nullish(),
  want_defined: z.boolean().nullish(),
  want_result: z.array(z.record(z.string(), exact)).nullish(),
  want_error_code: z.string().nullish(),
  want_error: z.string().nullish(),
  sort_bindings: z.boolean().nullish(),
  ignore_generated_vars: z.boolean().nullish(),
  strict_error: z.boolean().nullish(),
});
export type SuiteCase = z.infer<typeof suiteCase>;

/** Returns all cases below a folder, in a fixed order. */
export function readCases(folder: string): SuiteCase[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name) => casesOf(join(folder, name)));
}

function casesOf(path: string): SuiteCase[] {
  const document: unknown = parse(readFileSync(path, 'utf8'), { intAsBigInt: true });
  return z.object({ cases: z.array(suiteCase) }).parse(document, { error: () => path }).cases;
}

/** Input of the engine for a case: files with a query, and an input (empty for none). */
export interface SuiteQuestion {
  readonly request: string;
  readonly input: string;
}

/** Some inputs are Rego terms that JSON cannot express, such as sets. The query contains them. */
export function questionOf(one: SuiteCase): SuiteQuestion {
  const isTerm = typeof one.input_term === 'string';
  const request = {
    files: (one.modules ?? []).map((text, index) => ({ name: `test-${index}.rego`, text })),
    query: isTerm ? `${one.query} with input as ${one.input_term}` : one.query,
    data: one.data ?? null,
    strict_builtin_errors: one.strict_error ?? false,
  };
  const input = isTerm || one.input === undefined ? '' : writeExact(one.input);
  return { request: writeExact(request), input };
}

/** The engine's unchanged answer. `evaluated` is absent if the files were refused. */
export interface SuiteAnswer {
  readonly compiled: string;
  readonly evaluated?: string;
}

const failure = z.object({ code: z.string(), message: z.string() });
const evaluated = z.union([
  z.object({ failure }),
  z.object({ results: z.array(z.record(z.string(), exact)).nullable() }),
]);

/** Returns undefined for the expected answer, otherwise the difference. */
export function differenceOf(one: SuiteCase, answer: SuiteAnswer): string | undefined {
  if (answer.evaluated === undefined) return `did not compile: ${answer.compiled}`;
  const said = evaluated.parse(parseExact(answer.evaluated));
  if ('failure' in said) return differenceOfFailure(one, said.failure);
  if (typeof one.want_error === 'string') return `no error, wanted ${one.want_error}`;
  if (typeof one.want_error_code === 'string') return `no error, wanted ${one.want_error_code}`;
  const wanted = shown(one, one.want_result ?? []);
  const got = shown(one, said.results ?? []);
  return wanted === got ? undefined : `wanted ${wanted}, got ${got}`;
}

function differenceOfFailure(one: SuiteCase, { code, message }: z.infer<typeof failure>): string | undefined {
  const { want_error: text, want_error_code: wantedCode } = one;
  if (typeof text !== 'string' && typeof wantedCode !== 'string') return `error ${code}: ${message}`;
  if (typeof text === 'string' && !message.includes(text)) return `wanted ${text}, got ${message}`;
  if (typeof wantedCode === 'string' && code !== wantedCode) return `wanted ${wantedCode}, got ${code}`;
  return undefined;
}

/** Results are a set: without order and without duplicates. */
function shown(one: SuiteCase, results: readonly Readonly<Record<string, Exact>>[]): string {
  const rows = results.map((row) => {
    const kept = Object.entries(row)
      .filter(([name]) => one.ignore_generated_vars !== true || !name.startsWith('__localq'))
      .map(([name, value]) => [name, one.sort_bindings === true ? sorted(value) : value] as const);
    return writeExact(Object.fromEntries(kept));
  });
  return [...new Set(rows)].sort().join('\n');
}

function sorted(value: Exact): Exact {
  return isList(value) ? [...value].sort((a, b) => (writeExact(a) < writeExact(b) ? -1 : 1)) : value;
}
