import { describe, expect, it } from 'vitest';
import { problems, useRig } from './rig.ts';

useRig();

const CREDENTIALS = 'credentials: {main: {provider: openai, from: {env: KEY}}}';

describe('rules of models', () => {
  it.each([
    ['models: {a: [{provider: openia, model: m}]}', /models\.a\.0\.provider/],
    ['models: {a: [{provider: openai}]}', /models\.a\.0\.model/],
    ['models: {a: []}', /models\.a/],
    ['models: {"a b": [{provider: openai, model: m}]}', /is not a valid name/],
    [
      `${CREDENTIALS}\nmodels: {a: [{provider: openai, model: m, credential: mian}]}`,
      /models\.a\.0\.credential: is not in credentials; did you mean main\?/,
    ],
    [
      `${CREDENTIALS}\nmodels: {a: [{provider: groq, model: m, credential: main}]}`,
      /models\.a\.0\.credential: is a credential of openai and cannot be used with groq/,
    ],
    [
      'models: {a: [{provider: openai, model: m}, {provider: anthropic, model: n}]}',
      /models\.a: must have targets that share an API/,
    ],
    ['models: {a: [{provider: bedrock, model: m}]}', /models\.a: must have targets that share an API/],
    ['models: {a: [{provider: vllm, model: m}]}', /models\.a\.0\.provider: needs providers\.vllm\.base_url/],
  ])('%s', (yaml, expected) => {
    expect(problems(yaml).join('\n')).toMatch(expected);
  });

  it('takes providers that share an API', () => {
    const targets = ['openai', 'groq', 'gemini', 'deepseek'].map((name) => `{provider: ${name}, model: m}`);
    expect(problems(`models: {a: [${targets.join(', ')}]}`)).toEqual([]);
    expect(
      problems('models: {a: [{provider: anthropic, model: m}, {provider: deepseek, model: n}]}'),
    ).toEqual([]);
  });
});
