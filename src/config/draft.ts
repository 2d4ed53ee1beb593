import type * as z from 'zod';
import { ENVIRONMENT_OVERRIDES, type Environment } from './environment.ts';
import { configSchema, type ConfigInput } from './schema.ts';
import { mergeGroups, removeAt, setAt, configValueAt } from './values.ts';
import type { KeyPath, YamlFile } from './yaml-file.ts';

/** The values before they are validated, and who wrote which. */
export class Draft {
  readonly values: Record<string, unknown>;
  readonly #file: YamlFile | undefined;
  readonly #argv: ConfigInput;
  /** Dotted path -> environment variable that wrote it. */
  readonly #variables = new Map<string, string>();

  constructor(file: YamlFile | undefined, env: Environment, argvOverrides: ConfigInput) {
    this.#file = file;
    this.#argv = argvOverrides;
    this.values = structuredClone(file?.values ?? {});
    for (const [name, path] of Object.entries(ENVIRONMENT_OVERRIDES)) {
      const value = env[name];
      // Compose passes unset variables on as empty ones.
      if (value === undefined || value === '') continue;
      setAt(this.values, path, value);
      this.#variables.set(path.join('.'), name);
    }
    mergeGroups(this.values, this.#argv);
  }

  /** Every issue of the schema, after null and filled-in values have been given the meaning they can have. */
  validate(): readonly z.core.$ZodIssue[] {
    for (;;) {
      const issues = configSchema.safeParse(this.values).error?.issues ?? [];
      const repaired = issues.filter((issue) => this.#repair(issue));
      if (repaired.length === 0) return oneForEachPath(issues);
    }
  }

  locate(path: KeyPath): string {
    if (path.length > 0 && configValueAt(this.#argv, path) !== undefined) return 'command line';
    const variable = this.#variables.get(path.join('.'));
    if (variable !== undefined) return `environment ${variable}`;
    return this.#file?.locate(path) ?? '';
  }

  /** `key:` without a value means "not written"; text from the environment may mean a number or a boolean. */
  #repair(issue: z.core.$ZodIssue): boolean {
    const value = configValueAt(this.values, issue.path);
    if (value === null) return removeAt(this.values, issue.path);
    const dotted = issue.path.join('.');
    const fromEnvironment = this.#variables.has(dotted) || this.#file?.filledPaths.has(dotted) === true;
    if (issue.code !== 'invalid_type' || typeof value !== 'string' || !fromEnvironment) return false;
    const meant = issue.expected === 'boolean' ? toBoolean(value) : writtenNumber(value);
    if (meant === undefined) return false;
    setAt(this.values, issue.path, meant);
    return true;
  }
}

/** A value of the wrong type breaks further rules by that alone. */
function oneForEachPath(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
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

function writtenNumber(text: string): number | undefined {
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}

/** The values without what is wrong, so that the rules that join keys can be judged in the same run. */
export function withoutFaults(
  values: Record<string, unknown>,
  issues: readonly z.core.$ZodIssue[],
): Record<string, unknown> {
  const rest = structuredClone(values);
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') issue.keys.forEach((key) => removeAt(rest, [...issue.path, key]));
    else removeAt(rest, issue.path);
  }
  // What is missing from an entry cannot be taken out of it: its whole list goes.
  for (const { path } of configSchema.safeParse(rest).error?.issues ?? []) removeAt(rest, path.slice(0, 2));
  return rest;
}
