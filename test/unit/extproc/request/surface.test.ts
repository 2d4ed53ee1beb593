import { describe, expect, it } from 'vitest';
import { surfaceOf } from '../../../../src/extproc/request/surface.ts';

describe('the surface of a path', () => {
  it.each([
    ['/openai/v1/chat/completions', { kind: 'provider', shape: 'openai' }],
    ['/gemini', { kind: 'provider', shape: 'gemini' }],
    ['/deepseek/anthropic/v1/messages', { kind: 'provider', shape: 'anthropic' }],
    ['/mcp/files/tools/call', { kind: 'mcp' }],
    ['/mcp', { kind: 'mcp' }],
    ['/mcps', { kind: 'none' }],
    ['/mcp/files/.well-known/openid-configuration', { kind: 'oauth' }],
    ['/.well-known/oauth-protected-resource/mcp/files', { kind: 'oauth' }],
    ['/.well-known', { kind: 'oauth' }],
    ['/register', { kind: 'oauth' }],
    ['/register/x', { kind: 'none' }],
    ['/mcp/files.well-known', { kind: 'mcp' }],
    ['/openai/.well-known/x', { kind: 'provider', shape: 'openai' }],
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
