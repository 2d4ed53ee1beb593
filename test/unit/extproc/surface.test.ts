import { describe, expect, it } from 'vitest';
import { surfaceOf } from '../../../src/extproc/surface.ts';

describe('the surface of a path', () => {
  it.each([
    ['/openai/v1/chat/completions', { kind: 'provider', shape: 'openai' }],
    ['/gemini', { kind: 'provider', shape: 'gemini' }],
    ['/deepseek/anthropic/v1/messages', { kind: 'provider', shape: 'anthropic' }],
    ['/mcp/files/tools/call', { kind: 'mcp' }],
    ['/mcp', { kind: 'mcp' }],
    ['/mcps', { kind: 'none' }],
    ['/openai2/v1', { kind: 'none' }],
    ['/OpenAI/v1', { kind: 'none' }],
    ['/constructor/v1', { kind: 'none' }],
    ['//openai/v1', { kind: 'none' }],
    ['/', { kind: 'none' }],
    ['', { kind: 'none' }],
    ['*', { kind: 'none' }],
  ])('%s', (path, surface) => {
    expect(surfaceOf(path)).toEqual(surface);
  });
});
