import * as z from 'zod';
import type { Environment } from './environment.ts';
import { fillFromOtelVariables } from './otel-variables.ts';
import { configSchema, type ConfigInput } from './schema.ts';
import { mergeGroups, removeAt, setAt, configValueAt } from './values.ts';
import type { KeyPath, YamlFile } from './yaml-file.ts';

/** Configuration values before validation, with the source of each. */
export class Draft {
  readonly values: Record<string, unknown>;
  readonly #file: YamlFile | undefined;
  readonly #argv: ConfigInput;
  /** Environment variables by the dotted paths that they set. */
  readonly #variables = new Map<string, string>();

  constructor(file: YamlFile | undefined, env: Environment, argvOverrides: ConfigInput) {
    this.#file = file;
    this.#argv = argvOverrides;
    this.values = structuredClone(file?.values ?? {});
    for (const [name, path] of overrides(configSchema, [])) {
      const value = env[name];
      // Compose passes unset variables as empty strings.
      if (value === undefined || value === '') continue;
      setAt(this.values, path, value);
      this.#variables.set(path.join('.'), name);
    }
    mergeGroups(this.values, this.#argv);
    for (const [path, name] of fillFromOtelVariables(this.values, env)) this.#variables.set(path, name);
  }

  /** Repairs the values. Returns the remaining schema issues, one per path. */
  validate(): readonly z.core.$ZodIssue[] {
    for (;;) {
      const issues = configSchema.safeParse(this.values).error?.issues ?? [];
      const repaired = issues.filter((issue) => this.#repair(issue));
      if (repaired.length === 0) return firstPerPath(issues);
    }
  }

  locate(path: KeyPath): string {
    if (path.length > 0 && configValueAt(this.#argv, path) !== undefined) return 'command line';
    const variable = this.#variables.get(path.join('.'));
    if (variable !== undefined) return `environment ${variable}`;
    return this.#file?.locate(path) ?? '';
  }

  /** Repairs a value: removes an empty key, or converts text from the environment to a number or a boolean. */
  #repair(issue: z.core.$ZodIssue): boolean {
    const value = configValueAt(this.values, issue.path);
    if (value === null) return removeAt(this.values, issue.path);
    const dotted = issue.path.join('.');
    const fromEnvironment = this.#variables.has(dotted) || this.#file?.filledPaths.has(dotted) === true;
    if (issue.code !== 'invalid_type' || typeof value !== 'string' || !fromEnvironment) return false;
    const parsed = issue.expected === 'boolean' ? toBoolean(value) : toNumber(value);
    if (parsed === undefined) return false;
    setAt(this.values, issue.path, parsed);
    return true;
  }
}

/** Returns the variables declared with `overriddenBy`, each with the path of its key. */
function overrides(schema: z.core.$ZodType, path: readonly string[]): [string, readonly string[]][] {
  const variable = z.globalRegistry.get(schema)?.['x-environment'];
  if (typeof variable === 'string') return [[variable, path]];
  if (schema instanceof z.ZodPrefault) return overrides(schema.unwrap(), path);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([key, below]) =>
    overrides(below as z.core.$ZodType, [...path, key]),
  );
}

/** Keeps the first issue of each path, because a value of the wrong type also breaks other rules. */
function firstPerPath(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const seen = new Set<string>();
  return issues.filter((issue) => {
    if (issue.code === 'unrecognized_keys') return true;
    const path = issue.path.join('.');
    return !seen.has(path) && seen.add(path);
  });
}

function toBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

function toNumber(text: string): number | undefined {
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}

/** Returns the values without the invalid ones, so that cross-field rules can check the rest. */
export function withoutFaults(
  values: Record<string, unknown>,
  issues: readonly z.core.$ZodIssue[],
): Record<string, unknown> {
  const rest = structuredClone(values);
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') issue.keys.forEach((key) => removeAt(rest, [...issue.path, key]));
    else removeAt(rest, issue.path);
  }
  // Removing a value may leave an element or entry incomplete. The second-level key above it, such as `mcp.servers`, is
  // then removed as well.
  for (const { path } of configSchema.safeParse(rest).error?.issues ?? []) removeAt(rest, path.slice(0, 2));
  return rest;
}
