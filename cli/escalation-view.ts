import { formatDuration } from '../src/config/duration.ts';
import type { Escalation } from '../src/escalation/escalation.ts';
import { listing, printable, table, type Paint } from './output.ts';

/** For programs: the record, without the nonce that only its answer needs. Times in ISO 8601. */
export function escalationJson(asked: Escalation): Record<string, unknown> {
  const { nonce: _nonce, requested_at, expiry, ...told } = asked;
  return { ...told, requested_at: iso(requested_at), expiry: iso(expiry) };
}

/** @param now by Redis's clock */
export function escalationTable(waiting: readonly Escalation[], now: number, paint: Paint): string {
  const rows = waiting.map((asked) => [
    asked.id,
    asked.key_name,
    subjectOf(asked),
    ruleNames(asked),
    formatDuration(Math.max(1, Math.ceil((asked.expiry - now) / 1_000)) * 1_000),
  ]);
  return table(['ID', 'KEY', 'ASKS FOR', 'RULE', 'LEFT'], rows, paint);
}

/** All that is known of one request, and how to answer it. */
export function escalationBlock(asked: Escalation, paint: Paint): string {
  const [first] = asked.rules;
  const entries: [string, string][] = [
    ['id', asked.id],
    ['key', `${asked.key_name} (${asked.key_hash})`],
    ...optionalRow('agent', asked.agent_name),
    ...optionalRow('owner', asked.owner),
    ['asks for', subjectOf(asked)],
    ...optionalRow('session', asked.session_id),
    ['rule', ruleNames(asked)],
    ['reason', first?.reason ?? ''],
    ['digest', asked.request_digest],
    ['until', iso(asked.expiry)],
  ];
  return [
    paint('bold', `${printable(asked.key_name)} asks for ${printable(subjectOf(asked))}`),
    listing(entries, paint),
    paint('dim', `gateway escalations approve ${asked.id}   |   deny ${asked.id}`),
    '',
  ].join('\n');
}

function optionalRow(name: string, value: string): [string, string][] {
  return value === '' ? [] : [[name, value]];
}

function subjectOf({ method, provider, model, mcp_server, ...named }: Escalation): string {
  const { tool_name: tool, prompt_name: prompt, resource_uri: uri } = named;
  if (tool !== '') return `tool ${tool} of ${mcp_server}`;
  if (prompt !== '') return `prompt ${prompt} of ${mcp_server}`;
  if (uri !== '') return `resource ${uri} of ${mcp_server}`;
  if (method !== 'llm_call') return `${method} of ${mcp_server}`;
  return model === '' ? provider : `${provider} ${model}`;
}

function ruleNames({ rules }: Escalation): string {
  return rules.map(({ rule }) => rule).join(', ');
}

function iso(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
