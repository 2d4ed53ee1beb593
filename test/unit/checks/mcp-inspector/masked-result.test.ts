import { describe, expect, it } from 'vitest';
import { maskedResult, mayBeShown } from '../../../../src/checks/mcp-inspector/secret-response.ts';

describe('a result that an agent is shown', () => {
  it.each<[string, unknown]>([
    ['nothing', {}],
    ['one long text', { content: [{ type: 'text', text: 'soup '.repeat(400_000) }] }],
    ['as many values as fit into 16 KiB', Array.from({ length: 8_000 }, () => 0)],
  ])('may be shown if it can be cut to fit: %s', (_what, said) => {
    expect(mayBeShown({ result: said })).toBe(true);
    expect(maskedResult({ result: said })).toBeDefined();
  });

  it.each<[string, unknown]>([
    ['of numbers', Array.from({ length: 900_000 }, () => 0)],
    ['of empty texts', { rows: Array.from({ length: 9_000 }, () => '') }],
    ['of members', Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [String(at), at]))],
    ['in many arrays', Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 0))],
  ])('may not be shown, which is known at once, if its structure is too large: %s', (_what, said) => {
    expect(mayBeShown({ error: said })).toBe(false);
    expect(maskedResult({ error: said })).toBeUndefined();
  });
});
