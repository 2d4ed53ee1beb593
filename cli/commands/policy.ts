import { createReadStream, existsSync } from 'node:fs';

import { Option, type Command } from 'commander';

import { policyPathProblems } from '../../src/config/preflight.ts';
import { ConfigError, formatProblem } from '../../src/config/problems.ts';
import { messageOf } from '../../src/errors.ts';
import type { PolicyChoice } from '../../src/offline-policy.ts';
import { PolicyFilesError } from '../../src/policy/policy-files-error.ts';
import { policySources } from '../../src/policy/policy-files.ts';
import { PRESET_NAMES, type PresetName } from '../../src/policy/presets.ts';
import { presetList } from '../arguments.ts';
import { ExitCode, UsageError, withCall, type Call, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import {
  painter,
  print,
  printable,
  printableLines,
  withOutput,
  type OutputFormat,
  type OutputOptions,
} from '../output.ts';
import { countsOf, describedFile, describedText, explainedText, testedText } from '../policy-view.ts';

/** Selects policies; default: the configured policies. */
interface ChoiceOptions {
  readonly policyFile?: string;
  readonly policyDir?: string;
  readonly presets?: string;
}

interface CheckOptions extends ChoiceOptions, OutputOptions {
  readonly strict?: true;
}

const STDIN = '-';
const NOT_READ = 2;

const NOTES = {
  check: `
Warns about rules that can never fire, states that no transition reaches, and other likely mistakes. Exit code 0 if
\`serve\` would load the policies, otherwise 1; with --strict also 1 on warnings.

Examples:
  $ gateway policy check
  $ gateway policy check --policy-dir ./policies --presets safety,pci
`,
  schema: `
Example:
  $ gateway policy schema > card.schema.json
`,
  test: `
Runs the test_… rules in *_test.rego files and the cases in *_test.yaml files (docs/policies.md). A folder includes its
policies and their tests. Exit code 0 if all tests pass, 1 if some fail, 2 if files cannot be read or there is no test.

Examples:
  $ gateway policy test
  $ gateway policy test ./policies --output junit > policies.xml
  $ gateway policy test ops-guard.yaml ops-guard_test.yaml
`,
  explain: `
The input is one policy input as JSON (members: docs/policies.md). Exit code 0 for any verdict, 2 if the input or a
policy cannot be read.

Examples:
  $ gateway policy explain --input call.json
  $ echo '{"request":{"method":"llm_call"},"prompt_text":"hello"}' | gateway policy explain --presets safety --input -
`,
} as const;

/** Adds `gateway policy …`, which checks, tests and explains policies before they take effect. Needs no Redis. */
export function registerPolicy(program: Command, io: Io): void {
  const policy = program.command('policy').description('check, test and explain policies, offline');
  withOutput(
    withChoice(policy.command('check').description('load the policies as `serve` would, and describe them')),
  )
    .option('--strict', 'also exit with 1 on warnings')
    .addHelpText('after', NOTES.check)
    .action(withCall(io, runCheck));
  policy
    .command('schema')
    .description('print the JSON Schema of a card, for editors')
    .addHelpText('after', NOTES.schema)
    .action(async () => {
      const { cardJsonSchema } = await import('../../src/policy/cards/card-schema.ts');
      io.stdout.write(`${JSON.stringify(cardJsonSchema(), null, 2)}\n`);
    });
  withChoice(policy.command('test [paths...]').description('run policy tests'))
    .addOption(
      new Option('--output <format>', 'output format').choices(['json', 'table', 'junit']).default('table'),
    )
    .addHelpText('after', NOTES.test)
    .action(withCall(io, test));
  withOutput(
    withChoice(
      policy.command('explain').description('show which rules fire for a call, and why'),
    ).requiredOption('--input <file>', 'file with a policy input as JSON; - reads standard input'),
  )
    .addHelpText('after', NOTES.explain)
    .action(withCall(io, runExplain));
}

function withChoice(command: Command): Command {
  return command
    .option('--policy-file <file>', 'card to use instead of the configured policies')
    .option(
      '--policy-dir <folder>',
      'folder of Rego files and cards to use instead of the configured policies',
    )
    .option('--presets <a,b>', `presets to use instead of the configured ones: ${PRESET_NAMES.join(', ')}`);
}

async function runCheck(call: Call, options: CheckOptions): Promise<void> {
  const { checkPolicies } = await import('../../src/offline-policy.ts');
  const paint = painter(call);
  try {
    const { choice, warnings } = chosen(call, options);
    const set = await checkPolicies(choice);
    const isFallback =
      choice.sources.presets.length === 0 && set.files.every(({ kind }) => kind === 'preset');
    const found = isFallback ? ['no policy was found: the safety preset is used instead'] : [];
    const described = { ...set, warnings: [...warnings, ...found, ...set.warnings] };
    print(call, { valid: true, ...described }, () => describedText(described, paint));
    if (options.strict === true && described.warnings.length > 0) throw new ExitCode(1);
  } catch (failure) {
    const errors = errorsOf(failure);
    if (errors === undefined) throw failure;
    print(call, { valid: false, errors }, () =>
      errors.map((error) => `${paint('red', '✗')} ${printableLines(error)}`).join('\n'),
    );
    throw new ExitCode(1);
  }
}

async function test(
  call: Call,
  paths: readonly string[],
  options: ChoiceOptions & { output: OutputFormat | 'junit' },
): Promise<void> {
  const { testedPolicies, testPolicies } = await import('../../src/offline-policy.ts');
  const results = await exitIfUnread(call, () =>
    testPolicies(chosen(call, options, paths).choice, paths, isChosen(options)),
  );
  const counts = countsOf(results);
  if (options.output === 'junit') {
    const { junitReport } = await import('../../src/policy/testing/junit.ts');
    call.stdout.write(junitReport(results));
  } else print(call, { ...counts, tests: results }, () => testedText(results, painter(call)));
  if (counts.total === 0) {
    const tested = await testedPolicies(chosen(call, options, paths).choice, paths, isChosen(options));
    call.stderr.write('gateway: no test was found: name tests *_test.rego or *_test.yaml\n');
    call.stderr.write(
      `gateway: policies without a test: ${printable(tested.map(describedFile).join(', '))}\n`,
    );
    throw new ExitCode(NOT_READ);
  }
  if (counts.failed + counts.errors > 0) throw new ExitCode(1);
}

async function runExplain(
  call: Call,
  options: ChoiceOptions & OutputOptions & { input: string },
): Promise<void> {
  const { explainInput } = await import('../../src/offline-policy.ts');
  const { input } = options;
  const explanation = await exitIfUnread(call, () =>
    explainInput(
      chosen(call, options).choice,
      input === STDIN ? call.stdin : createReadStream(input),
      input === STDIN ? 'the input' : input,
    ),
  );
  print(call, explanation, () => explainedText(explanation, painter(call)));
}

/** If `work` fails, prints its errors, one per line, and exits with code 2. Rethrows usage errors. */
async function exitIfUnread<T>(io: Io, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    if (failure instanceof UsageError) throw failure;
    const label = painter(io, io.stderr)('red', 'gateway:');
    const errors = errorsOf(failure) ?? [messageOf(failure)];
    for (const error of errors) io.stderr.write(`${label} ${printableLines(error)}\n`);
    throw new ExitCode(NOT_READ);
  }
}

/** Returns the messages of invalid configuration or policies, or undefined for other errors. */
function errorsOf(failure: unknown): string[] | undefined {
  if (failure instanceof ConfigError) return failure.problems.map(formatProblem);
  return failure instanceof PolicyFilesError ? failure.message.split(/\n(?! {2})/) : undefined;
}

/** @throws ConfigError or PolicyFilesError if a path in the configuration or on the command line does not exist */
function chosen(
  call: Call,
  options: ChoiceOptions,
  paths: readonly string[] = [],
): { readonly choice: PolicyChoice; readonly warnings: readonly string[] } {
  const { config, sources: configSources } = loadedConfig(call);
  const { policy } = config;
  const defaultAction = policy.default_action;
  const presets = options.presets === undefined ? [] : presetList(options.presets);
  if (isChosen(options)) {
    const { overrides } = policy;
    const sources = {
      file: options.policyFile,
      folder: options.policyDir,
      presets,
      overrides,
      areChosen: true,
    };
    assertPathsExist(sources);
    return { choice: { sources, defaultAction, trust: policy.trust }, warnings: repeated(presets) };
  }
  // Paths on the command line replace the configured policies.
  if (paths.length === 0) {
    const problems = policyPathProblems(config, configSources);
    if (problems.length > 0) throw new ConfigError(problems);
  }
  const off = policy.enabled ? [] : ['policy.enabled is false: these policies are not in effect'];
  return {
    choice: { sources: policySources(policy), defaultAction, trust: policy.trust },
    warnings: [...off, ...repeated(policy.presets)],
  };
}

function isChosen({ policyFile, policyDir, presets }: ChoiceOptions): boolean {
  return policyFile !== undefined || policyDir !== undefined || presets !== undefined;
}

function repeated(presets: readonly PresetName[]): string[] {
  return presets
    .filter((name, index) => presets.indexOf(name) !== index)
    .map((name) => `preset ${name} is given twice and loaded once`);
}

/** @throws PolicyFilesError if a named path does not exist */
function assertPathsExist({ file, folder }: PolicyChoice['sources']): void {
  for (const path of [file, folder]) {
    if (path !== undefined && !existsSync(path))
      throw new PolicyFilesError(`${printable(path)}: does not exist`);
  }
}
