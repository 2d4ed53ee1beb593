import { describe, expect, it } from 'vitest';
import { assertPlainPath } from '../../../src/routing/path.ts';

const ARN = '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.anthropic.claude/converse';

describe('a path as it will be sent', () => {
  it.each([
    '/v1/chat/completions',
    '/v1beta/models/gemini-2.5-pro:generateContent',
    '/v1/models/a%20b',
    '/v1/x.y',
  ])('may be %s', (path) => {
    expect(() => assertPlainPath(path, false)).not.toThrow();
  });

  it.each([
    '/v1/%2e%2e/admin',
    '/v1/%252e%252e/admin',
    '/v1/..%2fadmin',
    '/v1/a%2Fb',
    '/v1/a%252Fb',
    '/v1/a%25252525252Fb',
    '/v1/a%5Cb',
    '/v1/a\\b',
    '/v1/a%00',
    '/v1/%zz',
    '/v1/ü',
    '/v1/a#b',
    '/v1/..',
  ])('may not be %s', (path) => {
    expect(() => assertPlainPath(path, false)).toThrow(expect.objectContaining({ type: 'invalid_request' }));
  });

  it('may have up to 256 segments', () => {
    expect(() => assertPlainPath('/a'.repeat(256), false)).not.toThrow();
    expect(() => assertPlainPath('/a'.repeat(257), false)).toThrow(
      expect.objectContaining({ type: 'invalid_request' }),
    );
    expect(() => assertPlainPath('/'.repeat(57_000), true)).toThrow('more than 256 segments');
  });

  it('may contain an encoded slash only in a Bedrock model id', () => {
    expect(() => assertPlainPath(ARN, true)).not.toThrow();
    expect(() => assertPlainPath(ARN, false)).toThrow();
    expect(() => assertPlainPath('/model/a%2F..%2Fb/converse', true)).toThrow();
    expect(() => assertPlainPath('/model/a%5Cb/converse', true)).toThrow();
    expect(() => assertPlainPath('/guardrail/a%2Fb/version/1/apply', true)).toThrow();
  });
});
