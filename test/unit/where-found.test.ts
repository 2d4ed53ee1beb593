import { expect, it } from 'vitest';
import { owaspIds } from '../../src/owasp.ts';
import { placeOf } from '../../src/where-found.ts';

it.each([
  [['messages', 3, 'content', 0, 'text'], 'messages[3]'],
  [['contents', 2, 'parts', 1, 'text'], 'contents[2]'],
  [['system', 0, 'text'], 'system[0]'],
  [['systemInstruction', 'parts', 0, 'text'], 'systemInstruction'],
  [['tools', 1, 'function', 'description'], 'tools[1]'],
  [['input', 'converse', 'messages', 4, 'content'], 'input.converse.messages[4]'],
  [['params', 'arguments', 'zanzibar', 'path'], 'params.arguments'],
  [['params', 'zanzibar'], 'params.*'],
  [['zanzibar', 'messages', 2], '*'],
  [['input'], 'input'],
])('%j is shown as %s, without names of the client', (path, place) => {
  expect(placeOf(path)).toBe(place);
});

it('maps classes to OWASP ids before types and checks, LLM first', () => {
  expect(owaspIds({ classes: ['override'], type: 'policy_denied' })).toEqual(['LLM01:2026', 'ASI01:2026']);
  expect(owaspIds({ classes: ['secret', 'email'] })).toEqual(['LLM02:2026', 'ASI03:2026']);
  expect(owaspIds({ classes: ['pattern'], type: 'loop_detected' })).toEqual(['LLM06:2026', 'ASI08:2026']);
  expect(owaspIds({ check: 'mcp-inspector' })).toEqual(['LLM01:2026', 'ASI01:2026']);
  expect(owaspIds({ classes: ['toString', undefined], check: 'constructor', type: 'valueOf' })).toEqual([]);
});
