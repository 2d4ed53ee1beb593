import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { parseEnv } from 'node:util';
import type * as z from 'zod';
import { DEFAULT_CONFIG_PATH } from './default-path.ts';
import { Draft, withoutFaults } from './draft.ts';
import { readInsecureDev, type Environment } from './environment.ts';
import { issueMessage } from './issue-message.ts';
import { ConfigError, type Problem } from './problems.ts';
import { crossFieldProblems } from './cross-field-rules.ts';
import {
  configJsonSchema,
  configKeys,
  configSchema,
  groupIn,
  schemaBelow,
  type Config,
  type ConfigInput,
  type JsonSchema,
} from './schema.ts';
import { configValueAt } from './values.ts';
import { readConfigYaml, type KeyPath, type YamlFile } from './yaml-file.ts';
import { nearestName } from './nearest-name.ts';

const MAX_FILE_BYTES = 4 * 1_048_576;

export interface LoadOptions {
  /** Value of `--config`; the file must exist. Default: ./gateway.yaml if it exists, otherwise no file. */
  readonly path?: string | undefined;
  readonly env: Environment;
  /** Values from the command line, which override everything else. */
  readonly argvOverrides?: ConfigInput | undefined;
}

export interface ConfigSources {
  /** The file that was read; undefined if there was none. */
  readonly file: string | undefined;
  /** Reports whether the file, the environment or the command line sets this key or one below it. */
  explicitlySet(dottedPath: string): boolean;
  /** Returns where a key was set, for messages: `gateway.yaml:3:5`, `environment REDIS_ADDR`, `command line`. */
  locate(path: KeyPath): string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly sources: ConfigSources;
}

/**
 * Precedence, highest first: argvOverrides, environment, file, defaults. The result is deeply frozen.
 * @throws ConfigError with all problems
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const problems: Problem[] = [];
  const env = withEnvFile(options);
  const file = readConfigFile({ ...options, env }, problems);
  const insecureDev = readInsecureDev(env, problems);
  const draft = new Draft(file, env, options.argvOverrides ?? {});

  const issues = draft.validate();
  problems.push(...issues.flatMap((issue) => issueProblems(issue, draft)));
  const config = freeze(
    issues.length === 0 ? draft.values : withoutFaults(draft.values, issues),
    insecureDev,
  );
  if (config) {
    for (const { path, message } of crossFieldProblems(config)) {
      if (issues.some((issue) => mayConcern(issue, path))) continue;
      problems.push({ where: draft.locate(path), path: path.join('.'), message });
    }
  }
  if (problems.length > 0 || config === undefined) throw new ConfigError(inFileOrder(problems));
  return {
    config: deepFreeze(resolvePolicyPaths(config, file?.name)),
    sources: {
      file: file?.name,
      explicitlySet: (dottedPath) => configValueAt(draft.values, dottedPath.split('.')) !== undefined,
      locate: (path) => draft.locate(path),
    },
  };
}

/**
 * Adds the `.env` file next to the configuration file. Variables that are already set take precedence, even if they are
 * empty. `SERVER_INSECURE_DEV` is ignored, because another program's `.env` must not switch off TLS.
 */
function withEnvFile({ path, env }: LoadOptions): Environment {
  if (path === NO_FILE) return env;
  const name = join(dirname(path ?? DEFAULT_CONFIG_PATH), '.env');
  try {
    const { SERVER_INSECURE_DEV: _ignored, ...fromFile } = parseEnv(readFileSync(name, 'utf8'));
    return { ...fromFile, ...env };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return env;
    throw new ConfigError([{ where: name, path: '', message: `cannot be read (${code})` }]);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** Resolves policy paths, including default paths, relative to the configuration file. */
function resolvePolicyPaths(config: Config, file: string | undefined): Config {
  const folder = file === undefined ? '.' : dirname(file);
  if (folder === '.') return config;
  const { policy } = config;
  const resolve = (key: 'policy_file' | 'policy_dir'): string =>
    isAbsolute(policy[key]) ? policy[key] : join(folder, policy[key]);
  return {
    ...config,
    policy: { ...policy, policy_file: resolve('policy_file'), policy_dir: resolve('policy_dir') },
  };
}

/** A `path` that means no file, not even ./gateway.yaml. */
export const NO_FILE = '';

type NamedFile = YamlFile & { readonly name: string };

function readConfigFile(options: LoadOptions, problems: Problem[]): NamedFile | undefined {
  if (options.path === NO_FILE) return undefined;
  const name = options.path ?? DEFAULT_CONFIG_PATH;
  let bytes: Buffer;
  try {
    bytes = readFileSync(name);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' && options.path === undefined) return undefined;
    const message = code === 'ENOENT' ? 'file not found' : `cannot be read (${code})`;
    throw new ConfigError([{ where: name, path: '', message }]);
  }
  if (bytes.length > MAX_FILE_BYTES) {
    throw new ConfigError([{ where: name, path: '', message: 'is larger than 4 MiB' }]);
  }
  const file = readConfigYaml(
    name.replace(/^\.\//, ''),
    bytes.toString('utf8').replace(/^\uFEFF/, ''),
    options.env,
  );
  problems.push(...file.problems);
  return { ...file, name };
}

function issueProblems(issue: z.core.$ZodIssue, draft: Draft): Problem[] {
  if (issue.code !== 'unrecognized_keys') {
    return [{ where: draft.locate(issue.path), path: issue.path.join('.'), message: issueMessage(issue) }];
  }
  return issue.keys.map((key) => {
    const path = [...issue.path, key];
    return { where: draft.locate(path), path: path.join('.'), message: unknownKeyMessage(issue.path, key) };
  });
}

function inFileOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => a.where.localeCompare(b.where, 'en', { numeric: true }));
}

function freeze(values: Record<string, unknown>, insecureDev: boolean): Config | undefined {
  const { data } = configSchema.safeParse(values);
  return data && { ...data, server: { ...data.server, insecure_dev: insecureDev } };
}

/** Reports whether an issue may concern a key, so that a cross-field rule would report the same fault again. */
function mayConcern(issue: z.core.$ZodIssue, path: KeyPath): boolean {
  if (issue.code === 'unrecognized_keys') return false;
  return issue.path.slice(0, 2).every((step, index) => step === path[index]);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** Suggests the nearest name in the group, or the path of a key with this name in another group. */
function unknownKeyMessage(group: readonly PropertyKey[], key: string): string {
  if (group.join('.') === 'server' && key === 'insecure_dev') {
    return 'can only be set by the environment variable SERVER_INSECURE_DEV';
  }
  const schema = group.reduce<JsonSchema | undefined>(schemaBelow, configJsonSchema());
  const near = nearestName(key, Object.keys(groupIn(schema)?.properties ?? {}));
  if (near !== undefined) return `unknown key; did you mean ${near}?`;
  const elsewhere = configKeys().find(({ path }) => !/[[*]/.test(path) && path.split('.').at(-1) === key);
  return elsewhere === undefined ? 'unknown key' : `unknown key here; did you mean ${elsewhere.path}?`;
}
