import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'vitest';
import { main } from '../../../../cli/main.ts';
import { pipes } from '../../scan/run-scan.ts';

export let folder: string;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function policy(args: readonly string[], input: string | Buffer = ''): Promise<Ended> {
  const { stdin, stdout, stderr, io } = pipes();
  stdin.end(input);
  const run = main(['policy', ...args], io).finally(() => {
    stdout.end();
    stderr.end();
  });
  const [code, printed, complaints] = await Promise.all([run, readAll(stdout), readAll(stderr)]);
  return { code, stdout: printed, stderr: complaints };
}

/** The JSON that a command prints. */
export async function policyJson(
  args: readonly string[],
  input = '',
): Promise<{ code: number; json: unknown }> {
  const { code, stdout } = await policy([...args, '--output', 'json'], input);
  return { code, json: JSON.parse(stdout) };
}

export function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

export const CARD = `metadata: { name: ops }
fsm:
  initial_state: IDLE
  transitions:
    - { from: IDLE, to: OPEN, trigger: begin }
    - { from: OPEN, to: IDLE, trigger: commit }
rules:
  - name: write-needs-begin
    match: { tool: db.write }
    conditions:
      - { field: session.state, op: not_equals, value: OPEN }
    action: deny
    reason: 'begin first, then {tool_name}'
  - name: no-drop
    match: { tool: 'db.*' }
    conditions:
      - { field: arguments.sql, op: matches_regex, value: '(?i)drop' }
    action: quarantine
  - name: leak
    match: { type: mcp_tool_call, tool: send }
    conditions:
      - { field: session.traces, op: contains_matching_trace, value: { type: mcp_tool_response, content_regex: SECRET } }
    action: deny
  - name: touched
    match: { tool: read }
    action: taint
    taint: read_something
`;

export const REGO = `package gateway.policy

deny contains "no m" if input.request.model == "m"
`;

/** A folder for the policies of each test. */
export function useRig(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-policy-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
}
