import { describe, expect, it } from 'vitest';
import { nestingFailure } from '../../../../src/policy/rego/nesting.ts';
import { threadCpuMs } from '../../../support/cpu-time.ts';

const failureOf = (text: string) => nestingFailure({ name: 'p.rego', text });
const DEPTH = 100;

describe('nested brackets', () => {
  it.each(['[', '(', '{', '[{(', 'x[', 'f(', '[x | x := '])('are refused beyond the limit: %s', (part) => {
    const deep = part.repeat(DEPTH + 1);
    expect(failureOf(`package p\na := ${deep}`)).toMatchObject({
      code: 'gateway_error',
      file: 'p.rego',
      row: 2,
    });
    const brackets = part.replace(/[^[({]/gu, '').length;
    expect(failureOf(`a := ${part.repeat(Math.floor(DEPTH / brackets))}`)).toBeUndefined();
  });

  it('are reported at the place where the limit is exceeded', () => {
    expect(failureOf(`\n\na := ${'['.repeat(500)}`)).toMatchObject({ row: 3, column: 106 });
  });

  it('do not count once they are closed', () => {
    expect(failureOf('a := [1]\n'.repeat(500))).toBeUndefined();
    expect(failureOf(')'.repeat(500) + '('.repeat(DEPTH))).toBeUndefined();
  });

  it.each([
    ['a string', (text: string) => `"${text}"`],
    ['a string that contains quotes', (text: string) => `"\\"${text}"`],
    ['a raw string', (text: string) => `\`${text}\``],
    ['a raw string over several lines', (text: string) => `\`\n"${text}\``],
    ['a comment', (text: string) => `1 # ${text}`],
    ['the text of a template', (text: string) => `$"${text.replaceAll('{', '\\{')}"`],
    ['the text of a raw template', (text: string) => `$\`${text.replaceAll('{', '\\{')}\``],
  ])('do not count in %s, and do after it', (_name, wrap) => {
    expect(failureOf(`a := ${wrap('[({'.repeat(200))}`)).toBeUndefined();
    expect(failureOf(`a := ${wrap('x')}\nb := ${'['.repeat(DEPTH + 1)}`)).toMatchObject({
      row: expect.any(Number) as number,
    });
  });

  it.each([
    ['an expression of a template', `a := $"x {${'['.repeat(DEPTH + 1)}`],
    ['templates in templates', `a := ${'$"{'.repeat(DEPTH + 1)}`],
    ['a line after an unterminated string', `a := "x\nb := ${'['.repeat(DEPTH + 1)}`],
    ['the text after an escape at the end of a line', `a := "\\\nb := ${'['.repeat(DEPTH + 1)}`],
    [
      'the text after a backslash outside of strings',
      `\\"${'['.repeat(DEPTH + 1)}\n[${'['.repeat(DEPTH + 1)}`,
    ],
  ])('count in %s', (_name, text) => {
    expect(failureOf(text)).toBeDefined();
  });

  it('are counted in time proportional to the text', () => {
    const started = threadCpuMs();
    for (const part of ['[]', '"', '`', '$"', '$"{', '#', '\\', '"\\', '(', ')'])
      failureOf(part.repeat(1_048_576 / part.length));
    expect(threadCpuMs() - started).toBeLessThan(3_000);
  });
});
