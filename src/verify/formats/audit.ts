import { type Context, type Read, type Step } from '../step.ts';
import { agentOf, textOf, timeOf, type Fields } from './fields.ts';

/** Whether an element is a line of the gateway's own log. */
export function isLogLine(fields: Fields): boolean {
  if (fields['channel'] === 'audit') return true;
  return (
    Object.hasOwn(fields, 'request_id') && Object.hasOwn(fields, 'level') && Object.hasOwn(fields, 'msg')
  );
}

/**
 * Reads a line of the audit channel. It holds rules and places, and no prompt and no arguments on purpose: what is left to
 * judge is that a tool was called, by its name and its key.
 */
export function readLogLine(line: Fields, context: Context): Read {
  const tool = textOf(line, ['tool']);
  if (line['audit'] !== 'tool_response_inspected' || tool === undefined) {
    return { kind: 'skipped', why: 'log lines, which hold no prompt and no arguments' };
  }
  const keyHash = textOf(line, ['key_hash']);
  const step: Step = {
    type: 'mcp_tool_call',
    sessionId: textOf(line, ['session_id']) ?? '',
    agent: keyHash === undefined ? context.agent : agentOf({ key_hash: keyHash, name: keyHash }),
    at: timeOf(textOf(line, ['time']) ?? ''),
    callId: textOf(line, ['request_id']),
    provider: undefined,
    model: undefined,
    content: undefined,
    server: textOf(line, ['server']) ?? '',
    tool,
    arguments: undefined,
    result: undefined,
    isError: false,
  };
  return { kind: 'steps', steps: [step] };
}
