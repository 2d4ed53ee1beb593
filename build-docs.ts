/** `npm run docs` writes the pages and the Envoy configuration that are generated from the code. Tests compare them. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { renderMetrics } from './src/admin/metrics.ts';
import { configKeys, type ConfigKey } from './src/config/schema.ts';
import { REFUSALS } from './src/errors.ts';
import { FIELD_GROUPS } from './src/policy/input-fields.ts';
import { PROVIDER_NAMES } from './src/providers/registry.ts';
import { createMetrics } from './src/telemetry/metrics.ts';

export const CONFIGURATION_PAGE = join(import.meta.dirname, 'docs', 'configuration.md');
export const POLICIES_PAGE = join(import.meta.dirname, 'docs', 'policies.md');
export const REFUSALS_PAGE = join(import.meta.dirname, 'docs', 'refusals.md');
export const TELEMETRY_PAGE = join(import.meta.dirname, 'docs', 'telemetry.md');

export function configurationPage(): Promise<string> {
  const keys = configKeys();
  const sections = keys.filter(({ path }) => !path.includes('.'));
  const text = `<!-- Made by \`npm run docs\` from the schema; edit the descriptions in src/config and src/checks. -->

# Configuration

This page lists all keys of \`gateway.yaml\`. Every key is optional. [Serving](serving.md#configuration) describes how the file is found and read, and
which environment variables override it. \`gateway config print --explain\` prints your values with these descriptions, and
\`gateway config schema\` prints the JSON Schema for your editor.

A running gateway follows the file ([reloading](serving.md#reloading)). A change to a key marked "restart" takes effect at the next
start; a change to any other key takes effect at once.

A duration is written as \`250ms\`, \`30s\`, \`5m\`, \`1h\` or \`1h30m\`.

${sections.map((section) => sectionText(section, keys)).join('\n')}`;
  return format(text, { parser: 'markdown', printWidth: 120 });
}

function sectionText(section: ConfigKey, keys: readonly ConfigKey[]): string {
  const inSection = keys.filter(({ path }) => isBelow(path, section.path));
  const below = inSection.filter(({ isGroup }) => !isGroup);
  const notes = inSection
    .filter(({ isGroup, description }) => isGroup && description !== '')
    .map(({ path, description }) => `\`${path}\`: ${linked(description)}`);
  const rows = merged(below).map(
    ({ path, preset, values, needsRestart, description }) =>
      `| \`${path}\` | ${presetText(preset)} | ${cell(values)} | ${needsRestart ? 'restart' : ''} | ${cell(linked(description))} |`,
  );
  return `## \`${section.path}\`

${[linked(section.description), ...notes].join('\n\n')}

| key | default | values | takes effect | what it does |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

/** Includes members of array elements, such as `budgets[].name`. */
function isBelow(path: string, section: string): boolean {
  return path.startsWith(`${section}.`) || path.startsWith(`${section}[].`);
}

/** Joins rows that differ only in the provider name. */
function merged(keys: readonly ConfigKey[]): readonly ConfigKey[] {
  const rows = new Map<
    string,
    { readonly key: ConfigKey; readonly names: string[]; readonly path: string }
  >();
  for (const key of keys) {
    const name = key.path.split('.').find((part) => PROVIDER_NAMES.some((provider) => provider === part));
    const path = name === undefined ? key.path : key.path.replace(name, '<provider>');
    const id = JSON.stringify([path, key.preset, key.values, key.needsRestart, key.description]);
    const row = rows.get(id) ?? { key, names: [], path };
    if (name !== undefined) row.names.push(name);
    rows.set(id, row);
  }
  return [...rows.values()].map(({ key, names, path }) => {
    const joined = names.length < 2 ? key.path : path.replace('<provider>', `{${names.join(', ')}}`);
    return { ...key, path: joined };
  });
}

function presetText(preset: unknown): string {
  if (preset === undefined) return '';
  return preset === '' ? 'empty' : `\`${typeof preset === 'string' ? preset : JSON.stringify(preset)}\``;
}

function linked(text: string): string {
  return text.replaceAll(/docs\/([\w/-]+)\.md(#[\w-]+)?/g, '[$1]($1.md$2)');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

const TABLE = /(?<=<!-- Made by `npm run docs`[^>]*-->\n\n)\|[^]*?(?=\n\n<!-- end -->)/;

function withTable(file: string, head: string, rows: readonly string[]): Promise<string> {
  const rule = head.replaceAll(/[^|]+/g, ' --- ');
  const page = readFileSync(file, 'utf8').replace(TABLE, () => [head, rule, ...rows].join('\n'));
  return format(page, { parser: 'markdown', printWidth: 120 });
}

/** Returns `docs/policies.md` with its table of fields. */
export function policiesPage(): Promise<string> {
  const rows = FIELD_GROUPS.flatMap(({ path, rows, cards }) =>
    Object.entries(rows).map(([member, { means, form, notInCards }]) => {
      const below = form === 'map' ? '.x' : '';
      const inCards = cards === undefined || notInCards === true ? '' : `\`${cards}${member}${below}\``;
      return `| \`input.${path}.${member}${below}\` | ${inCards} | ${cell(means)} |`;
    }),
  );
  return withTable(POLICIES_PAGE, '| in Rego | in cards | meaning |', rows);
}

/** Returns `docs/refusals.md` with its table of types. */
export function refusalsPage(): Promise<string> {
  const rows = Object.entries(REFUSALS).map(
    ([type, { status, means }]) => `| ${String(status)} | \`${type}\` | ${cell(means)} |`,
  );
  return withTable(REFUSALS_PAGE, '| status | type | meaning |', rows);
}

export interface ExportedMetric {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Lists the metrics of `/metrics`: first those of workers, then those of the supervisor. */
export async function exportedMetrics(): Promise<readonly ExportedMetric[]> {
  const workerMetrics = createMetrics()
    .registry.getMetricsAsArray()
    .map((metric) => {
      const { name, help, labelNames } = metric as unknown as Omit<ExportedMetric, 'labels'> & {
        readonly labelNames: readonly string[];
      };
      return { name, help, labels: labelNames };
    });
  const text = await renderMetrics([], {
    readiness: {
      ready: true,
      envoy: 'live',
      redis: 'up',
      workers: { ready: 1, wanted: 1 },
      draining: false,
      crash_loops: [],
    },
    workers: [],
    envoyRestarts: 0,
    envoyReplies: new Map([['gateway_unavailable', 0]]),
    build: { version: '1.0.0' },
    reload: { notInForce: undefined, keys: [], applied: 0 },
    certificates: new Map([['server.tls.cert_file', { end: 1, broken: false }]]),
    credentials: new Map([
      ['openai-main', { readAt: 1, failedAt: undefined, failure: undefined, usable: true }],
    ]),
  });
  const supervisorMetrics = Array.from(text.matchAll(/^# HELP (\S+) (.*)$/gm), ([, name = '', help = '']) => {
    const [, series = ''] = new RegExp(`^${name}\\{(.*)\\}`, 'm').exec(text) ?? [];
    return { name, help, labels: Array.from(series.matchAll(/(\w+)="/g), ([, label = '']) => label) };
  });
  return [...workerMetrics, ...supervisorMetrics];
}

/** Returns `docs/telemetry.md` with its table of metrics, except those of Node.js. */
export async function telemetryPage(): Promise<string> {
  const rows = (await exportedMetrics())
    .filter(({ name }) => /^(?:gateway|gen_ai)_/.test(name))
    .map(({ name, help, labels }) => {
      const shown = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${shown} | ${cell(linked(help))} |`;
    });
  return withTable(TELEMETRY_PAGE, '| metric | labels | meaning |', rows);
}

const ENVOY_FOLDER = join(import.meta.dirname, 'envoy');

/** Returns `envoy/envoy.yaml`, and writes its SDS files. */
export function envoyConfiguration(sdsFolder: string): string {
  return execFileSync(
    process.execPath,
    [
      'cli/main.ts',
      ...['--config', join(ENVOY_FOLDER, 'compose.gateway.yaml'), 'envoy', 'render'],
      ...['--ca-file', '/etc/ssl/certs/ca-certificates.crt'],
      ...['--sds-dir', sdsFolder, '--sds-path', '/etc/envoy/sds'],
    ],
    { cwd: import.meta.dirname, env: { REDIS_PASSWORD: 'any' }, encoding: 'utf8' },
  );
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(CONFIGURATION_PAGE, await configurationPage());
  writeFileSync(POLICIES_PAGE, await policiesPage());
  writeFileSync(REFUSALS_PAGE, await refusalsPage());
  writeFileSync(TELEMETRY_PAGE, await telemetryPage());
  writeFileSync(join(ENVOY_FOLDER, 'envoy.yaml'), envoyConfiguration(join(ENVOY_FOLDER, 'sds')));
}
