import { ERROR_STATUS } from '../src/errors.ts';
import { valueAt } from '../src/json/path.ts';
import { printable } from './output.ts';

type Json = Readonly<Record<string, unknown>>;

/** Members of `unmapped` that the line omits or shows elsewhere. */
const NOT_SHOWN: ReadonlySet<string> = new Set(['stage', 'key_hash', 'outcome']);
const MAX_VALUE_CHARS = 80;

/** Formats one audit record as a line: time, disposition, status, user, operation, targets and outcome. */
export function tailLine(record: Json): string {
  const { time } = record;
  const isOperator = textAt(record, 'unmapped', 'stage') === 'operator';
  const columns = [
    typeof time === 'number' ? new Date(time).toISOString() : '-',
    (textAt(record, 'disposition') ?? '-').padEnd(11),
    statusOf(record).padEnd(3),
    textAt(record, 'actor', 'user', 'name') ?? textAt(record, 'actor', 'user', 'uid') ?? '-',
    textAt(record, 'finding_info', 'title') ?? called(record),
    ...targets(record, isOperator),
    ...(isOperator ? changed(record) : []),
    textAt(record, 'status_detail'),
    outcomeOf(record),
    isOperator ? undefined : textAt(record, 'message'),
    isOperator ? undefined : textAt(record, 'metadata', 'correlation_uid'),
  ];
  return columns
    .flatMap((column) => (column === undefined || column === '' ? [] : [printable(column)]))
    .join('  ');
}

/** Returns the HTTP status of a refusal, also for refusals that MCP returns as JSON-RPC with HTTP 200. */
function statusOf(record: Json): string {
  const refusal = textAt(record, 'status_detail');
  const known = Object.entries(ERROR_STATUS).find(([type]) => type === refusal);
  return known === undefined ? (textAt(record, 'status_code') ?? '-') : String(known[1]);
}

function called(record: Json): string {
  const service = textAt(record, 'api', 'service', 'name');
  return [service, textAt(record, 'api', 'operation')].join(' ');
}

/** Names the key or server that an operator changed, or the model, tool, prompt or resource of a request. */
function targets(record: Json, isOperator: boolean): string[] {
  const resources = record['resources'];
  const named = (Array.isArray(resources) ? resources : []).flatMap((resource: unknown) => {
    const [type, name] = [textAt(resource, 'type'), textAt(resource, 'name')];
    if (type === undefined || name === undefined) return [];
    if (isOperator) return [type === 'proxy_key' ? `key ${name}` : `server ${name}`];
    return type === 'proxy_key' || type === 'mcp_server' ? [] : [`${type.replace(/^mcp_/, '')} ${name}`];
  });
  const model = textAt(record, 'ai_model', 'name');
  return model === undefined
    ? named
    : [...named.filter((target) => !target.startsWith('model ')), `model ${model}`];
}

/** Formats the changed settings as `name=value`. */
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

function outcomeOf(record: Json): string | undefined {
  const outcome = textAt(record, 'unmapped', 'outcome');
  return outcome === undefined ? undefined : `outcome ${outcome}`;
}

/** Returns a member of an audit record; undefined if it is not text. */
export function textAt(record: unknown, ...path: readonly string[]): string | undefined {
  const value = valueAt(record, path);
  return typeof value === 'string' ? value : undefined;
}
