import { describe, expect, it } from 'vitest';

import {
  bodyWithModel,
  chosenModel,
  pathWithModel,
  type ModelChoice,
} from '../../../src/exec/model-choice.ts';

const OVERRIDE: ModelChoice = { override: 'small', aliases: new Map() };
const MAP: ModelChoice = { override: undefined, aliases: new Map([['fast', 'gpt-4o-mini']]) };

describe('a model by name', () => {
  it.each([
    [OVERRIDE, 'large', 'small'],
    [OVERRIDE, 'models/large', 'models/small'],
    [MAP, 'fast', 'gpt-4o-mini'],
    [MAP, 'models/fast', 'models/gpt-4o-mini'],
    [MAP, 'faster', 'faster'],
    [{ override: 'small', aliases: new Map([['fast', 'other']]) }, 'fast', 'small'],
    [{ override: undefined, aliases: new Map([['models/fast', 'exact']]) }, 'models/fast', 'exact'],
  ])('%o makes of %s: %s', (choice, model, chosen) => {
    expect(chosenModel(choice, model)).toBe(chosen);
  });
});

describe('a body', () => {
  it.each([
    ['{"model":"large","n":1}', '{"model":"small","n":1}'],
    // Every other byte stays, blanks and unusual numbers among them.
    ['{ "a" : 1.0e2 ,\n "model" : "large" }', '{ "a" : 1.0e2 ,\n "model" : "small" }'],
    ['{"messages":[{"model":"mine"}]}', '{"messages":[{"model":"mine"}],"model":"small"}'],
    ['{"model":"a","models":["b","c"]}', '{"model":"small"}'],
    [
      '{"requests":[{"model":"models/a"},{"model":"models/b"}],"model":"models/c"}',
      '{"requests":[{"model":"models/small"},{"model":"models/small"}],"model":"models/small"}',
    ],
    ['{"model":7}', '{"model":7}'],
    ['[1]', '[1]'],
  ])('%s is sent as %s under an override', (written, sent) => {
    expect(bodyWithModel(Buffer.from(written), OVERRIDE, false).toString()).toBe(sent);
  });

  it.each([
    ['{"model":"fast"}', '{"model":"gpt-4o-mini"}'],
    ['{"model":"other","models":["fast","b"]}', '{"model":"other","models":["gpt-4o-mini","b"]}'],
    [
      '{"generateContentRequest":{"model":"models/fast"}}',
      '{"generateContentRequest":{"model":"models/gpt-4o-mini"}}',
    ],
    ['{"a":1}', '{"a":1}'],
  ])('%s is sent as %s under a map', (written, sent) => {
    expect(bodyWithModel(Buffer.from(written), MAP, false).toString()).toBe(sent);
  });

  it('gets no model in its body if the path names it', () => {
    expect(bodyWithModel(Buffer.from('{"contents":[]}'), OVERRIDE, true).toString()).toBe('{"contents":[]}');
  });

  it.each(['{"model":"a","model":"b"}', '{', ''])('%j is refused, as the gateway does', (written) => {
    expect(() => bodyWithModel(Buffer.from(written), OVERRIDE, false)).toThrow(
      expect.objectContaining({ type: 'invalid_request' }),
    );
  });
});

describe('a path', () => {
  it.each([
    [
      'gemini',
      '/gemini/v1beta/models/large:streamGenerateContent',
      '/gemini/v1beta/models/small:streamGenerateContent',
    ],
    ['bedrock', '/bedrock/model/us.a%3A0/converse', '/bedrock/model/small/converse'],
    [
      'azure',
      '/azure/openai/deployments/large/chat/completions',
      '/azure/openai/deployments/small/chat/completions',
    ],
  ] as const)('of %s names the chosen model', (provider, path, sent) => {
    expect(pathWithModel(provider, path, OVERRIDE)).toEqual({ path: sent, namesModel: true });
  });

  it('stays byte for byte if the model does not change', () => {
    const path = '/bedrock/model/us.a%3a0/converse';
    expect(pathWithModel('bedrock', path, MAP)).toEqual({ path, namesModel: true });
  });

  it('of another provider has none', () => {
    const path = '/openai/v1/models/large';
    expect(pathWithModel('openai', path, OVERRIDE)).toEqual({ path, namesModel: false });
  });
});
