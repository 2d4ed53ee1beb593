import { describe, expect, it } from 'vitest';
import { Words } from '../../../src/inspect/whole/document-search.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

describe('Words', () => {
  it('returns only the texts of documents', () => {
    const words = new Words();
    words.set('{"a":1}', 'document');
    words.set('[2]', 'document');
    words.set('[2]', 'prose');
    expect([...words.documents()]).toEqual(['{"a":1}']);
  });

  it('returns the first of very many documents without reading the others', () => {
    const words = new Words();
    for (let index = 0; index < 200_000; index++) words.set(`[${String(index)}]`, 'document');
    const firstOf = (): unknown => words.documents().next().value;
    expect(firstOf()).toBe('[0]');
    expect(quickestCpuMs(firstOf)).toBeLessThan(8);
  });
});
