import { formatDuration } from '../src/config/duration.ts';
import type { Escalation } from '../src/escalation/escalation.ts';
import { listing, printable, table, type Paint } from './output.ts';

/** Returns an approval request with ISO 8601 times, without the nonce (needed only to answer). */
export function escalationJson(escalation: Escalation): Record<string, unknown> {
  const { nonce: _nonce, requested_at, expiry, ...shown } = escalation;
  return { ...shown, requested_at: iso(requested_at), expiry: iso(expiry) };
}

/** @param now Redis time in milliseconds */
export function escalationTable(waiting: readonly Escalation[], now: number, paint: Paint): string {
  const rows = waiting.map((escalation) => [
    escalation.id,
    escalation.key_name,
    subjectOf(escalation),
    ruleNames(escalation),
    formatDuration(Math.max(1, Math.ceil((escalation.expiry - now) / 1_000)) * 1_000),
  ]);
  return table(['ID', 'KEY', 'ASKS FOR', 'RULE', 'EXPIRES IN'], rows, paint);
}

export function escalationBlock(escalation: Escalation, paint: Paint): string {
  const [first] = escalation.rules;
  const entries: [string, string][] = [
    ['id', escalation.id],
    ['key', `${escalation.key_name} (${escalation.key_hash})`],
    ...optionalRow('agent', escalation.agent_name),
    ...optionalRow('owner', escalation.owner),
    ['asks for', subjectOf(escalation)],
    ...optionalRow('fallback models', escalation.other_models.join(', ')),
    ...optionalRow('session', escalation.session_id),
    ['rule', ruleNames(escalation)],
    ['reason', first?.reason ?? ''],
    ...optionalRow('arguments', escalation.arguments),
    ...optionalRow('prompt', escalation.prompt_text),
    ['digest', escalation.request_digest],
    ['expires', iso(escalation.expiry)],
  ];
  return [
    paint('bold', `${printable(escalation.key_name)} asks for ${printable(subjectOf(escalation))}`),
    listing(entries, paint),
    paint('dim', `gateway escalations approve ${escalation.id}   |   deny ${escalation.id}`),
    '',
  ].join('\n');
}

function optionalRow(name: string, value: string): [string, string][] {
  return value === '' ? [] : [[name, value]];
}

function subjectOf({ method, provider, model, mcp_server, ...named }: Escalation): string {
  const { tool_name: tool, prompt_name: prompt, resource_uri: uri } = named;
  if (tool !== '') return `tool ${tool} on ${mcp_server}`;
  if (prompt !== '') return `prompt ${prompt} on ${mcp_server}`;
  if (uri !== '') return `resource ${uri} on ${mcp_server}`;
  if (method !== 'llm_call') return `${method} on ${mcp_server}`;
  return model === '' ? provider : `${provider} ${model}`;
}

function ruleNames({ rules }: Escalation): string {
  return rules.map(({ rule }) => rule).join(', ');
}

function iso(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
