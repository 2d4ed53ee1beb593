import { describe, expect, it } from 'vitest';
import type { JsonPath } from '../../../src/json/path.ts';
import { joinedPrompts } from '../../../src/policy/joined-parts.ts';
import type { PromptText } from '../../../src/providers/request-facts.ts';

const part = (text: string, ...path: JsonPath): PromptText => ({ role: 'user', kind: 'text', text, path });
const inMessage = (text: string, message: number, index: number): PromptText =>
  part(text, 'messages', message, 'content', index, 'text');

function joined(...texts: readonly PromptText[]): string[] {
  return [...joinedPrompts(texts)].filter((text) => text !== '');
}

describe('neighbouring parts of a message', () => {
  it('are joined in any number', () => {
    expect(joined(inMessage('a', 0, 0), inMessage('b', 0, 1), inMessage('c', 0, 2))).toEqual(['abc']);
    expect(joined(part('a', 'system', 0, 'text'), part('b', 'system', 1, 'text'))).toEqual(['ab']);
    expect(
      joined(part('a', 'params', 'arguments', 'x', 0), part('b', 'params', 'arguments', 'x', 1)),
    ).toEqual(['ab']);
  });

  it('are not joined with other messages, members, or non-neighbours', () => {
    expect(joined(inMessage('a', 0, 0), inMessage('b', 1, 0))).toEqual([]);
    expect(joined(part('a', 'input', 0), part('b', 'input', 1))).toEqual([]);
    expect(joined(inMessage('a', 0, 0), inMessage('b', 0, 2))).toEqual([]);
    expect(joined(inMessage('a', 0, 0), part('b', 'messages', 0, 'content', 1, 'name'))).toEqual([]);
    const tool = { ...inMessage('b', 0, 1), kind: 'tool_definition' as const };
    expect(joined(inMessage('a', 0, 0), tool)).toEqual([]);
  });

  it('of two messages are joined separately', () => {
    const texts = [inMessage('a', 0, 0), inMessage('b', 0, 1), inMessage('c', 1, 0), inMessage('d', 1, 1)];
    expect(joined(...texts)).toEqual(['ab', 'cd']);
  });

  it('are read only near their boundaries if they are long', () => {
    const [first, second, third] = ['a', 'b', 'c'].map((letter) => letter.repeat(5_000));
    const [text = ''] = joined(
      inMessage(first ?? '', 0, 0),
      inMessage(second ?? '', 0, 1),
      inMessage(third ?? '', 0, 2),
    );
    expect(text).toMatch(/^a{1024}b{1024}\n\uffff+\nb{1024}c{1024}\n\uffff+\nc{1024}$/);
  });

  it('in great number are joined in overlapping pieces, with event-loop turns between them', () => {
    const texts = Array.from({ length: 10_000 }, (_, index) => inMessage(`word${String(index)} `, 0, index));
    const pieces = [...joinedPrompts(texts)];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(20_000);
    expect(pieces.filter((piece) => piece === '').length).toBe(9);
    for (let index = 0; index < 9_999; index += 1) {
      const seam = `word${String(index)} word${String(index + 1)} `;
      expect(pieces.some((piece) => piece.includes(seam))).toBe(true);
    }
  });
});
