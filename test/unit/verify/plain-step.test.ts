import { describe, expect, it } from 'vitest';
import { isPlainStep, traceStepSchema } from '../../../src/verify/schema.ts';

const CALL = {
  type: 'llm_call',
  session_id: 's',
  model: 'm',
  content: ['x'],
  timestamp: '2026-01-05T10:00:00Z',
};

describe('a plain step', () => {
  it.each([
    CALL,
    { type: 'mcp_tool_call', tool_name: 'read', arguments: { a: 1 }, call_id: 'c', provider: 'files' },
    { type: 'mcp_tool_response', result: null, content: undefined },
  ])('is accepted unchanged by the schema: %o', (step) => {
    expect(isPlainStep(step)).toBe(true);
    expect(traceStepSchema.parse(step)).toEqual(step);
  });

  it.each([
    { ...CALL, session_id: 'x'.repeat(513) },
    { ...CALL, model: 7 },
    { ...CALL, is_error: 'true' },
    { ...CALL, tool_name: {} },
    { ...CALL, type: 'other' },
    { content: 'x' },
  ])('is never refused by the schema: %o', (step) => {
    expect(isPlainStep(step)).toBe(false);
    expect(traceStepSchema.safeParse(step).success).toBe(false);
  });
});
