import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';

import { InvalidArgumentError, Option, type Command } from 'commander';

import type { LoadedConfig } from '../../src/config/load.ts';
import { ConfigError, formatProblem } from '../../src/config/problems.ts';
import type { Config } from '../../src/config/schema.ts';
import { messageOf } from '../../src/errors.ts';
import { policySources, type PolicySources } from '../../src/policy/policy-files.ts';
import { PRESET_NAMES, type PresetName } from '../../src/policy/presets.ts';
import { REPORT_FORMATS, ruleCount, type Report, type ReportFormat } from '../../src/verify/report/report.ts';
import type { Summary } from '../../src/verify/summary.ts';
import type { VerifyEvent } from '../../src/verify/verify.ts';
import { presetList } from '../arguments.ts';
import { ExitCode, UsageError, withCall, type Call, type GlobalOptions, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { painter, printable, printableJson, warnOfOldFlag } from '../output.ts';
import { createProgress, type Progress } from '../progress.ts';

interface VerifyOptions {
  readonly trace?: string;
  readonly policyFile?: string;
  readonly policyDir?: string;
  readonly presets?: readonly PresetName[];
  readonly output: ReportFormat;
  /** Deprecated form of `output`. */
  readonly format?: ReportFormat | 'pretty';
  readonly failOnViolation: boolean;
  readonly failOnUnjudged: boolean;
  readonly schema?: true;
}

const STDIN = '-';
/** Exit code for violations, and with --fail-on-unjudged also for unjudged content. */
const FAILED = 1;
const UNREADABLE = 2;

const NOTES = `
Reads steps ({"traces": […]}, an array, or one per line), chat messages and request bodies, OpenTelemetry spans (OTLP JSON:
GenAI, Vercel AI SDK, OpenInference), MCP messages, and the gateway's audit lines (docs/verify.md). Without
--policy-file, --policy-dir and --presets, uses the configured policies if policy.enabled is true.

Exit code: 0 no violations. 1 violations; with --fail-on-unjudged also content that could not be judged.
2 something could not be read, or nothing was judged.

Examples:
  $ gateway verify --trace run.json --presets mcp_sandbox,safety
  $ gateway verify --trace run.json --policy-dir ./policies --output sarif > verify.sarif
  $ cat spans.jsonl | gateway verify --trace - --presets safety --output json | jq .summary
`;

/** Adds `gateway verify`, which judges recorded agent runs by policies. Needs no Redis and no Envoy. */
export function registerVerify(program: Command, io: Io): void {
  program
    .command('verify')
    .description('replay a recorded agent run against policies and checks')
    .option('--trace <file>', 'file with the recorded run; - reads standard input')
    .option('--policy-file <path>', 'a policy file: a card, or Rego')
    .option('--policy-dir <path>', 'a folder of policies')
    .option('--presets <list>', `presets to judge by: ${PRESET_NAMES.join(', ')}`, presetList)
    .addOption(new Option('--output <format>', 'output format').choices(REPORT_FORMATS).default('table'))
    .addOption(
      new Option('--format <format>', 'deprecated form of --output')
        .choices(['pretty', ...REPORT_FORMATS])
        .hideHelp(),
    )
    .addOption(
      new Option('--fail-on-violation [yes]', 'exit with 1 on violations; =false only reports them')
        .argParser(booleanArgument)
        .preset('true')
        .default(true),
    )
    .addOption(
      new Option('--fail-on-unjudged [yes]', 'exit with 1 if some content could not be judged')
        .argParser(booleanArgument)
        .preset('true')
        .default(false),
    )
    .option('--schema', 'print the JSON Schema of a trace and exit')
    .addHelpText('after', NOTES)
    .action(withCall(io, printSchemaOrVerify));
}

async function printSchemaOrVerify(call: Call, options: VerifyOptions): Promise<void> {
  try {
    if (options.schema === true) {
      const { traceJsonSchema } = await import('../../src/verify/schema.ts');
      call.stdout.write(`${JSON.stringify(traceJsonSchema(), null, 2)}\n`);
      return;
    }
    await verifyFile(call, options);
  } catch (failure) {
    if (failure instanceof ExitCode || failure instanceof UsageError) throw failure;
    reportFailure(call, failure, call.command.optsWithGlobals<GlobalOptions>().verbose === true);
    throw new ExitCode(UNREADABLE);
  }
}

async function verifyFile(call: Call, options: VerifyOptions): Promise<void> {
  const { trace } = options;
  if (trace === undefined)
    throw new UsageError(
      'no trace given. For example: gateway verify --trace run.json (- reads standard input)',
    );
  const loaded = loadedConfig(call);
  // Loaded on demand, because the checks would slow down every other command.
  const { verifyTrace } = await import('../../src/offline-verify.ts');
  const isStdin = trace === STDIN;
  if (isStdin && call.stdin.isTTY) call.stderr.write('gateway: reading from the terminal until Ctrl-D\n');
  const name = isStdin ? 'standard input' : trace;
  const events = verifyTrace(isStdin ? call.stdin : fileBytes(trace), {
    config: judgingConfig(loaded),
    sources: sourcesOf(options, loaded),
    name,
  });
  const summary = await printReport(call, await reportOf(formatOf(options, call), call, trace), events);
  const { isNothingJudged } = await import('../../src/verify/summary.ts');
  const isEmpty = isNothingJudged(summary);
  if (isEmpty) {
    call.stderr.write(`gateway: ${printable(name)}: no content could be judged: ${reasons(summary)}\n`);
    call.stderr.write(`gateway: judged by: ${printable(judgedBy(summary))}\n`);
  }
  if (summary.unreadable > 0 || isEmpty) throw new ExitCode(UNREADABLE);
  if (summary.violations > 0 && options.failOnViolation) throw new ExitCode(FAILED);
  if (summary.unjudged.size > 0 && options.failOnUnjudged) throw new ExitCode(FAILED);
}

/** Opens the file on the first read, so that the reader reports a missing file. */
async function* fileBytes(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** Enables the inspection of tool answers, unless the configuration sets `mcp.enabled`. */
function judgingConfig({ config, sources }: LoadedConfig): Config {
  return sources.explicitlySet('mcp.enabled') ? config : { ...config, mcp: { ...config.mcp, enabled: true } };
}

/**
 * Returns the policies named on the command line, else the configured ones; undefined if policies are off.
 * @throws UsageError if a named or explicitly configured path does not exist
 */
function sourcesOf(
  options: VerifyOptions,
  { config: { policy }, sources }: LoadedConfig,
): PolicySources | undefined {
  const { policyFile: file, policyDir: folder, presets } = options;
  if (file !== undefined || folder !== undefined || presets !== undefined) {
    assertExists(file, '--policy-file');
    assertExists(folder, '--policy-dir');
    return { file, folder, presets: presets ?? [], overrides: policy.overrides, areChosen: true };
  }
  if (!policy.enabled) return undefined;
  for (const name of ['policy_file', 'policy_dir'] as const) {
    if (sources.explicitlySet(`policy.${name}`)) assertExists(policy[name], `policy.${name}`);
  }
  return policySources(policy);
}

function assertExists(path: string | undefined, name: string): void {
  if (path !== undefined && !existsSync(path))
    throw new UsageError(`${name}: ${printable(path)} does not exist. Relative paths start at this folder`);
}

function formatOf({ output, format }: VerifyOptions, io: Io): ReportFormat {
  if (format === undefined) return output;
  const wanted = format === 'pretty' ? 'table' : format;
  warnOfOldFlag(io, `--format ${format}`, `--output ${wanted}`);
  return wanted;
}

async function reportOf(format: ReportFormat, io: Io, trace: string): Promise<Report> {
  const write = (value: unknown): string => printableJson(value);
  switch (format) {
    case 'table':
      return (await import('../../src/verify/report/pretty.ts')).createPrettyReport({
        paint: painter(io),
        printable,
      });
    case 'json':
      return (await import('../../src/verify/report/json.ts')).createJsonReport(write);
    case 'sarif':
      return (await import('../../src/verify/report/sarif.ts')).createSarifReport(write, trace);
    case 'junit':
      return (await import('../../src/verify/report/junit.ts')).createJunitReport();
  }
}

/** Pauses while the reader of the report is slow. */
async function printReport(io: Io, report: Report, events: AsyncIterable<VerifyEvent>): Promise<Summary> {
  const progress = createProgress(io, 'elements');
  let hasBegun = false;
  try {
    for await (const event of events) {
      const piece = reportPart(event, report, progress);
      if (piece === '') continue;
      const text = hasBegun ? piece : report.begin() + piece;
      hasBegun = true;
      if (!io.stdout.write(text)) await once(io.stdout, 'drain');
      if (event.kind === 'summary') return event.summary;
    }
  } finally {
    progress.clear();
  }
  throw new Error('the trace was not judged completely');
}

function reportPart(event: VerifyEvent, report: Report, progress: Progress): string {
  switch (event.kind) {
    case 'finding':
      return report.finding(event.finding);
    case 'unreadable':
      return report.unreadable(event.unreadable);
    case 'progress':
      progress.show(event.elements);
      return '';
    case 'summary':
      return report.end(event.summary);
  }
}

function judgedBy({ policies, checks }: Summary): string {
  if (policies === undefined) return `no policy; checks: ${checks.join(', ')}`;
  return policies.files.map(ruleCount).join(', ');
}

function reasons({ skipped, unjudged, elements }: Summary): string {
  if (skipped.size + unjudged.size === 0) return elements === 1 ? '1 element' : `${elements} elements`;
  return [...unjudged, ...skipped].map(([why, times]) => `${String(times)} ${why}`).join(', ');
}

function reportFailure(io: Io, failure: unknown, verbose: boolean): void {
  const label = painter(io, io.stderr)('red', 'gateway:');
  const lines = failure instanceof ConfigError ? failure.problems.map(formatProblem) : [messageOf(failure)];
  for (const line of lines) io.stderr.write(`${label} ${line}\n`);
  if (verbose && failure instanceof Error) io.stderr.write(`${failure.stack ?? ''}\n`);
}

function booleanArgument(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('must be true or false');
}
