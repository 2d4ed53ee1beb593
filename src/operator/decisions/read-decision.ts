import type { Entry } from '../../audit/stream-store.ts';
import { readRecord } from '../../audit/tail.ts';
import { valueAt } from '../../json/path.ts';
import type { Decision, RequestStory } from '../api/schemas/traffic.ts';

type Json = Readonly<Record<string, unknown>>;
export type StoryStep = RequestStory['steps'][number];

const FINDING = 2004;
const MAX_LISTED = 64;
const MAX_TEXT_CHARS = 1_024;

/** Summarizes an audit record. Returns undefined for invalid and forwarding records. */
export function readDecision(entry: Entry): Decision | undefined {
  const record = readRecord(entry.record);
  if (record === undefined) return undefined;
  const stage = stageOf(record);
  return stage === 'forwarding' ? undefined : decisionOf(entry.id, record, stage);
}

/** Returns the details of an audit record, or undefined if the record is invalid. */
export function readStep(entry: Entry): StoryStep | undefined {
  const record = readRecord(entry.record);
  if (record === undefined) return undefined;
  const stage = stageOf(record);
  return {
    ...decisionOf(entry.id, record, stage),
    stage,
    client_address: textAt(record, 'src_endpoint', 'ip'),
    outcome: textAt(record, 'unmapped', 'outcome'),
    trace_id: textAt(record, 'unmapped', 'trace_id'),
    reserved_usd: numberAt(record, 'unmapped', 'reserved_usd'),
    checks: listAt(record, 'authorizations').map((check) => ({
      check: textAt(check, 'policy', 'name') ?? '',
      decision: textAt(check, 'decision') ?? '',
      reason: textAt(check, 'policy', 'desc'),
    })),
    findings: findingsOf(record),
    rules: rulesOf(record),
    owasp: [...listAt(record, 'finding_info', 'types'), ...listAt(record, 'unmapped', 'owasp')].filter(
      (id) => typeof id === 'string',
    ),
  };
}

function decisionOf(id: string, record: Json, stage: string): Decision {
  const isOperator = stage === 'operator';
  const resources = listAt(record, 'resources');
  const status = numberAt(record, 'api', 'response', 'code');
  return {
    id,
    at: new Date(numberAt(record, 'time') ?? timeOf(id)).toISOString(),
    kind: kindOf(stage),
    request_id: textAt(record, 'metadata', 'correlation_uid') ?? '',
    key_hash: isOperator ? textAt(record, 'unmapped', 'key_hash') : textAt(record, 'actor', 'user', 'uid'),
    name: textAt(record, 'actor', 'user', 'name'),
    owner: textAt(record, 'actor', 'invoked_by'),
    agent: textAt(record, 'actor', 'app_name'),
    session_id: textAt(record, 'actor', 'session', 'uid'),
    service: textAt(record, 'api', 'service', 'name') ?? serviceOf(resources),
    operation: textAt(record, 'api', 'operation'),
    model: textAt(record, 'ai_model', 'name'),
    tool: resourceOf(resources, 'mcp_tool', 'mcp_prompt', 'mcp_resource'),
    disposition: textAt(record, 'disposition') ?? '',
    status: status === null ? null : Math.round(status),
    refusal: textAt(record, 'status_detail'),
    message: textAt(record, 'finding_info', 'title') ?? textAt(record, 'message') ?? '',
    cost_usd: numberAt(record, 'unmapped', 'cost_usd'),
    latency_ms: numberAt(record, 'duration'),
    input_tokens: countAt(record, 'message_context', 'prompt_tokens'),
    output_tokens: countAt(record, 'message_context', 'completion_tokens'),
  };
}

function stageOf(record: Json): string {
  if (record['class_uid'] === FINDING) return 'finding';
  return textAt(record, 'unmapped', 'stage') ?? 'event';
}

function kindOf(stage: string): Decision['kind'] {
  if (stage === 'finding' || stage === 'operator' || stage === 'event') return stage;
  return 'request';
}

/** Stream ids begin with the Redis time in Unix ms. */
export function timeOf(id: string): number {
  const time = Number(id.split('-', 1)[0]);
  return Number.isFinite(time) && time < 1e14 ? time : 0;
}

function serviceOf(resources: readonly unknown[]): string | null {
  const server = resourceOf(resources, 'mcp_server');
  return server === null ? null : `mcp:${server}`;
}

function resourceOf(resources: readonly unknown[], ...types: readonly string[]): string | null {
  const found = resources.find((resource) => types.includes(textAt(resource, 'type') ?? ''));
  return textAt(found, 'name');
}

/** Returns findings of a refusal and evidence of a finding, without the matched text. */
function findingsOf(record: Json): StoryStep['findings'] {
  const evidences = listAt(record, 'evidences').map((evidence) => ({
    ...objectAt(evidence, 'data'),
    rule: textAt(evidence, 'name') ?? '',
    detector: textAt(record, 'finding_info', 'analytic', 'name'),
  }));
  return [...listAt(record, 'unmapped', 'findings'), ...evidences].slice(0, MAX_LISTED).map((one) => ({
    rule: textAt(one, 'rule') ?? textAt(one, 'finding') ?? '',
    detector: textAt(one, 'detector'),
    class: textAt(one, 'class'),
    place: textAt(one, 'place'),
    path: textAt(one, 'path'),
    role: textAt(one, 'role'),
    start: countAt(one, 'start'),
    end: countAt(one, 'end'),
    score: numberAt(one, 'score'),
  }));
}

export function rulesOf(record: Json): StoryStep['rules'] {
  return listAt(record, 'unmapped', 'rules').map((one) => ({
    rule: textAt(one, 'rule') ?? '',
    action: textAt(one, 'action') ?? '',
    mode: textAt(one, 'mode'),
    file: textAt(one, 'file'),
    line: countAt(one, 'line'),
  }));
}

function listAt(from: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = valueAt(from, path);
  return Array.isArray(value) ? value.slice(0, MAX_LISTED) : [];
}

function objectAt(from: unknown, ...path: readonly string[]): Json {
  const value = valueAt(from, path);
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function textAt(from: unknown, ...path: readonly string[]): string | null {
  const value = valueAt(from, path);
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT_CHARS) : null;
}

function numberAt(from: unknown, ...path: readonly string[]): number | null {
  const value = valueAt(from, path);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function countAt(from: unknown, ...path: readonly string[]): number | null {
  const value = numberAt(from, ...path);
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
