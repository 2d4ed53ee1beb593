import { valueAt } from '../src/json/path.ts';
import { listing, printable, type Paint } from './output.ts';
import { ERROR_STATUS } from '../src/errors.ts';

type Json = Readonly<Record<string, unknown>>;

export function storyText(requestId: string, records: readonly Json[], paint: Paint): string {
  const activities = records.filter(({ class_uid: uid }) => uid === 6003);
  const detections = records.filter(({ class_uid: uid }) => uid === 2004);
  const last =
    activities.find((record) => textAt(record, 'unmapped', 'stage') === 'finished') ?? activities.at(-1);
  return [
    `${paint('bold', 'request')} ${printable(requestId)}`,
    ...(last === undefined ? [] : ['', listing(summary(last), paint), ...checks(last, paint)]),
    ...section('Findings', listAt(last, 'unmapped', 'findings').map(findingLine), paint),
    ...section('Rules', listAt(last, 'unmapped', 'rules').flatMap(ruleLines), paint),
    ...section('Detected', detections.flatMap(detectionLines), paint),
  ].join('\n');
}

function summary(record: Json): [string, string][] {
  const at = (...path: string[]): string => textAt(record, ...path);
  const rows: [string, string][] = [
    ['time', timeOf(record)],
    ['key', joined([at('actor', 'user', 'name'), at('actor', 'user', 'uid')])],
    ['agent', joined([at('actor', 'app_name'), at('actor', 'invoked_by')])],
    ['address', at('src_endpoint', 'ip')],
    ['session', at('actor', 'session', 'uid')],
    ['route', joined([at('api', 'service', 'name'), at('api', 'operation')])],
    ['model', at('ai_model', 'name')],
    ['resources', listAt(record, 'resources').map(resourceText).join(', ')],
    ['stage', joined([at('unmapped', 'stage'), at('unmapped', 'outcome')])],
    ['disposition', joined([at('disposition'), at('status_code'), at('status_detail')])],
    ['message', at('message')],
    ['duration', withUnit(at('duration'), 'ms')],
    ['tokens', tokens(record)],
    ['reserved', withUnit(at('unmapped', 'reserved_usd'), 'USD')],
    ['cost', withUnit(at('unmapped', 'cost_usd'), 'USD')],
    ['policies', joined([at('unmapped', 'policy_verdict'), at('unmapped', 'policy_set')])],
    ['OWASP', listAt(record, 'unmapped', 'owasp').map(String).join(', ')],
  ];
  return rows.filter(([, value]) => value !== '').map(([name, value]) => [name, printable(value)]);
}

function checks(record: Json, paint: Paint): string[] {
  const lines = listAt(record, 'authorizations').map((check) =>
    joined([textAt(check, 'policy', 'name'), textAt(check, 'decision'), textAt(check, 'policy', 'desc')]),
  );
  return section('Checks, in order', lines.length === 0 ? ['no check reported anything'] : lines, paint);
}

function ruleLines(rule: unknown): string[] {
  const where = textAt(rule, 'file') === '' ? '' : `${textAt(rule, 'file')}:${textAt(rule, 'line')}`;
  const heading = joined([textAt(rule, 'action'), textAt(rule, 'rule'), textAt(rule, 'mode'), where]);
  return [heading, ...listAt(rule, 'found').map((finding) => `  ${findingLine(finding)}`)];
}

function detectionLines(record: Json): string[] {
  const analytic = textAt(record, 'finding_info', 'analytic', 'name');
  const title = textAt(record, 'finding_info', 'title');
  const owasp = listAt(record, 'finding_info', 'types').map(String).join(', ');
  return [
    joined([analytic, title, textAt(record, 'disposition'), owasp]),
    ...listAt(record, 'evidences').map((evidence) =>
      joined([
        '',
        textAt(evidence, 'name'),
        textAt(evidence, 'data', 'class'),
        locationOf(valueAt(evidence, ['data'])),
      ]),
    ),
  ];
}

function findingLine(finding: unknown): string {
  const facts = ['rule', 'detector', 'finding', 'class'].map((name) => textAt(finding, name));
  return joined([...facts, locationOf(finding)]);
}

function locationOf(finding: unknown): string {
  const score = textAt(finding, 'score');
  return joined([
    ...['place', 'path', 'role', 'kind'].map((name) => textAt(finding, name)),
    score === '' ? '' : `score ${score}`,
  ]);
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  if (lines.length === 0) return [];
  return ['', paint('bold', title), ...lines.map((line) => `  ${printable(line)}`)];
}

function resourceText(resource: unknown): string {
  return `${textAt(resource, 'type')} ${textAt(resource, 'name')}`;
}

function tokens(record: Json): string {
  const [input, output] = [
    textAt(record, 'message_context', 'prompt_tokens'),
    textAt(record, 'message_context', 'completion_tokens'),
  ];
  return input === '' ? '' : `${input} in, ${output} out`;
}

function timeOf({ time }: Json): string {
  return typeof time === 'number' ? new Date(time).toISOString() : '';
}

function withUnit(value: string, unit: string): string {
  return value === '' ? '' : `${value} ${unit}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('  ');
}

function listAt(from: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = valueAt(from, path);
  return Array.isArray(value) ? value : [];
}

export function textAt(from: unknown, ...path: readonly string[]): string {
  const value = valueAt(from, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Members of `unmapped` that the line omits or shows elsewhere. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['stage', 'key_hash', 'outcome']);
const MAX_VALUE_CHARS = 80;

/** Formats one audit record as a line: time, disposition, status, user, operation, targets and outcome. */
export function tailLine(record: Json): string {
  const { time } = record;
  const isOperator = textAt(record, 'unmapped', 'stage') === 'operator';
  const columns = [
    typeof time === 'number' ? new Date(time).toISOString() : '-',
    (textAt(record, 'disposition') || '-').padEnd(11),
    statusOf(record).padEnd(3),
    textAt(record, 'actor', 'user', 'name') || textAt(record, 'actor', 'user', 'uid') || '-',
    textAt(record, 'finding_info', 'title') || called(record),
    ...targets(record, isOperator),
    ...(isOperator ? changed(record) : []),
    textAt(record, 'status_detail'),
    outcomeOf(record),
    ...(isOperator ? [] : [textAt(record, 'message'), textAt(record, 'metadata', 'correlation_uid')]),
  ];
  return joined(columns.map(printable));
}

/** Returns the HTTP status. For refusals, uses the status of the type, because MCP may return HTTP 200. */
function statusOf(record: Json): string {
  const refusal = textAt(record, 'status_detail');
  const known = Object.entries(ERROR_STATUS).find(([type]) => type === refusal);
  return known === undefined ? textAt(record, 'status_code') || '-' : String(known[1]);
}

function called(record: Json): string {
  const service = textAt(record, 'api', 'service', 'name');
  return [service, textAt(record, 'api', 'operation')].join(' ');
}

function targets(record: Json, isOperator: boolean): string[] {
  const named = listAt(record, 'resources').flatMap((resource) => {
    const [type, name] = [textAt(resource, 'type'), textAt(resource, 'name')];
    if (type === '' || name === '') return [];
    if (isOperator) return [type === 'proxy_key' ? `key ${name}` : `server ${name}`];
    return type === 'proxy_key' || type === 'mcp_server' ? [] : [`${type.replace(/^mcp_/, '')} ${name}`];
  });
  const model = textAt(record, 'ai_model', 'name');
  return model === '' ? named : [...named.filter((target) => !target.startsWith('model ')), `model ${model}`];
}

function changed({ unmapped }: Json): string[] {
  if (typeof unmapped !== 'object' || unmapped === null) return [];
  return Object.entries(unmapped).flatMap(([name, value]) =>
    NOT_SHOWN.has(name) || value === null ? [] : [`${name}=${shortened(valueText(value))}`],
  );
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  if (entries.length === 0) return 'none';
  return entries.map(([name, item]) => (Array.isArray(value) ? '' : `${name}:`) + valueText(item)).join(',');
}

function shortened(text: string): string {
  return text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS)}…`;
}

function outcomeOf(record: Json): string {
  const outcome = textAt(record, 'unmapped', 'outcome');
  return outcome === '' ? '' : `outcome ${outcome}`;
}
