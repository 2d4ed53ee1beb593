import { Option, type Command } from 'commander';
import { stringify } from 'yaml';
import { explainConfig, maskConfig, serializeConfig } from '../../src/config/print.ts';
import { ConfigError, formatProblem, type Problem } from '../../src/config/problems.ts';
import { configJsonSchema, type Config, type ConfigInput } from '../../src/config/schema.ts';
import type { ConfigSources } from '../../src/config/load.ts';
import { policySources } from '../../src/policy/policy-files.ts';
import { preflightProblems } from '../../src/config/preflight.ts';
import { providers } from '../../src/providers/registry.ts';
import { ExitCode, type Io } from '../command.ts';
import { painter, print, withOutput, type OutputOptions } from '../output.ts';
import { loadedConfig } from '../loaded-config.ts';
import { runningGateway } from '../running-gateway.ts';

/** Adds `gateway config …`, which checks and prints gateway.yaml. */
export function registerConfig(program: Command, io: Io): void {
  const config = program.command('config').description('show and check the configuration');
  config
    .command('print')
    .description('print the effective configuration, with defaults filled in and secrets masked')
    .addOption(new Option('--output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .addOption(
      new Option('--explain', 'print YAML with the description of each key above it').conflicts('output'),
    )
    .action((options: PrintOptions, command: Command) => printConfig(command, io, options));
  config
    .command('schema')
    .description('print the JSON Schema of gateway.yaml, for editors')
    .action(() => {
      io.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
  withOutput(
    config
      .command('check')
      .description('check the configuration, and whether `serve` would accept it')
      .option('--running', 'also check that the gateway on this machine uses it'),
  ).action((options: CheckOptions, command: Command) => checkConfig(command, io, options));
}

type CheckOptions = OutputOptions & { readonly running?: boolean };

interface PrintOptions {
  readonly output: 'yaml' | 'json';
  readonly explain?: boolean;
}

function printConfig(command: Command, io: Io, { output, explain }: PrintOptions): void {
  const input = withBaseUrls(serializeConfig(maskConfig(loadedConfig(command, io).config)));
  if (explain === true) io.stdout.write(explainConfig(input));
  else io.stdout.write(output === 'json' ? `${JSON.stringify(input, null, 2)}\n` : stringify(input));
}

/** Adds the public APIs of providers without a `base_url`. */
function withBaseUrls(input: ConfigInput): ConfigInput {
  const filled = Object.values(providers).map(({ name, defaultBaseUrl }) => {
    const base = defaultBaseUrl === undefined ? {} : { base_url: defaultBaseUrl };
    return [name, { ...base, ...input.providers?.[name] }];
  });
  return { ...input, providers: Object.fromEntries(filled) };
}

async function checkConfig(command: Command, io: Io, { output, running }: CheckOptions): Promise<void> {
  const { file, config, problems } = await readProblems(command, io);
  const gateway = running === true && config !== undefined ? await runningGateway(config) : undefined;
  const inForce = gateway && { ok: gateway.isRunning && gateway.status === 'ok', message: gateway.message };
  const paint = painter(io);
  const mark = (isGood: boolean): string => (isGood ? paint('green', '✓') : paint('red', '✗'));
  const json = { valid: problems.length === 0, file: file ?? null, problems };
  print(io, output, inForce === undefined ? json : { ...json, running: inForce }, () =>
    [
      ...(problems.length === 0
        ? [paint('green', `${file ?? 'The default configuration'} is valid.`)]
        : problems.map((problem) => `${mark(false)} ${formatProblem(problem)}`)),
      ...(inForce === undefined
        ? []
        : [`${mark(inForce.ok)} The gateway on this machine: ${inForce.message}`]),
    ].join('\n'),
  );
  if (problems.length > 0 || inForce?.ok === false) throw new ExitCode(1);
}

interface ReadConfig {
  readonly file: string | undefined;
  /** Undefined if the configuration cannot be read. */
  readonly config: Config | undefined;
  readonly problems: readonly Problem[];
}

async function readProblems(command: Command, io: Io): Promise<ReadConfig> {
  try {
    const { config, sources } = loadedConfig(command, io);
    return {
      file: sources.file,
      config,
      problems: [...preflightProblems(config, sources), ...(await overrideProblems(config, sources))],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { file: undefined, config: undefined, problems: error.problems };
  }
}

/** Returns overrides that match no rule of a card or preset. */
async function overrideProblems({ policy }: Config, sources: ConfigSources): Promise<Problem[]> {
  if (!policy.enabled || Object.keys(policy.overrides).length === 0) return [];
  const { unknownOverrides } = await import('../../src/offline-policy.ts');
  const problems = await unknownOverrides(policySources(policy), policy.overrides);
  return problems.map((message) => ({
    where: sources.locate(['policy', 'overrides']),
    path: 'policy.overrides',
    message,
  }));
}
