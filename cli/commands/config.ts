import { Option, type Command } from 'commander';
import { stringify } from 'yaml';
import { explainConfig } from '../../src/config/explain.ts';
import { maskConfig, serializeConfig } from '../../src/config/print.ts';
import { ConfigError, formatProblem, type Problem } from '../../src/config/problems.ts';
import { configJsonSchema, type Config, type ConfigInput } from '../../src/config/schema.ts';
import type { ConfigSources } from '../../src/config/load.ts';
import { policySources } from '../../src/policy/policy-files.ts';
import { preflightProblems } from '../../src/config/preflight.ts';
import { providers } from '../../src/providers/registry.ts';
import { ExitCode, type Io } from '../command.ts';
import { painter, print, withOutput, type OutputFormat, type OutputOptions } from '../output.ts';
import { loadedConfig } from '../loaded-config.ts';

/** `gateway config …`: gateway.yaml as the gateway understands it. */
export function registerConfig(program: Command, io: Io): void {
  const config = program.command('config').description('show and check the configuration');
  config
    .command('print')
    .description('print the effective configuration, defaults filled in and secrets masked')
    .addOption(new Option('--output <format>', 'how to print it').choices(['yaml', 'json']).default('yaml'))
    .addOption(new Option('--explain', 'print what each key does above it, as YAML').conflicts('output'))
    .action((options: PrintOptions, command: Command) => printConfig(command, io, options));
  config
    .command('schema')
    .description('print the JSON Schema of gateway.yaml, for editors')
    .action(() => {
      io.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
  withOutput(
    config.command('check').description('check the configuration, and whether `serve` would accept it'),
  ).action((options: OutputOptions, command: Command) => checkConfig(command, io, options.output));
}

interface PrintOptions {
  readonly output: 'yaml' | 'json';
  readonly explain?: boolean;
}

function printConfig(command: Command, io: Io, { output, explain }: PrintOptions): void {
  const written = withBaseUrls(serializeConfig(maskConfig(loadedConfig(command, io).config)));
  if (explain === true) io.stdout.write(explainConfig(written));
  else io.stdout.write(output === 'json' ? `${JSON.stringify(written, null, 2)}\n` : stringify(written));
}

/** Fills in the public APIs that requests go to where the file names no other. */
function withBaseUrls(written: ConfigInput): ConfigInput {
  const filled = Object.values(providers).map(({ name, defaultBaseUrl }) => {
    const base = defaultBaseUrl === undefined ? {} : { base_url: defaultBaseUrl };
    return [name, { ...base, ...written.providers?.[name] }];
  });
  return { ...written, providers: Object.fromEntries(filled) };
}

async function checkConfig(command: Command, io: Io, output: OutputFormat): Promise<void> {
  const { file, problems } = await readProblems(command, io);
  const paint = painter(io);
  print(io, output, { valid: problems.length === 0, file: file ?? null, problems }, () =>
    problems.length === 0
      ? paint('green', `${file ?? 'The default configuration'} is valid.`)
      : problems.map((problem) => `${paint('red', '✗')} ${formatProblem(problem)}`).join('\n'),
  );
  if (problems.length > 0) throw new ExitCode(1);
}

async function readProblems(
  command: Command,
  io: Io,
): Promise<{ file: string | undefined; problems: readonly Problem[] }> {
  try {
    const { config, sources } = loadedConfig(command, io);
    return {
      file: sources.file,
      problems: [...preflightProblems(config, sources), ...(await overrideProblems(config, sources))],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { file: undefined, problems: error.problems };
  }
}

/** Overrides of rules that no card or preset has. */
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
