import { describe, expect, it } from 'vitest';
import { conversationRow, readRow, textRow } from '../../../src/scan/rows.ts';

describe('a row of text', () => {
  it('is read as its id and text, with any other members', () => {
    const line = { number: 7, text: '{"id": "a", "text": "x\\ud83d\\ude42", "source": {"b": [1]}}\r' };
    expect(readRow(line, textRow)).toEqual({ row: { id: 'a', text: 'x🙂' } });
    expect(readRow({ number: 1, text: '\uFEFF{"id":1,"text":""}' }, textRow)).toEqual({
      row: { id: 1, text: '' },
    });
  });

  it.each([
    ['{"id": "a", "text": 5}', { id: 'a', line: 3, error: 'text must be a string' }],
    ['{"id": 9}', { id: 9, line: 3, error: 'text must be a string' }],
    ['{"text": "x"}', { line: 3, error: 'id must be a string or a number' }],
    ['{"id": [], "text": "x"}', { line: 3, error: 'id must be a string or a number' }],
    ['{"id": "a", "te', { line: 3, error: 'is not JSON' }],
    ['\uFEFF{"id":1,"text":""}', { line: 3, error: 'is not JSON' }],
    ['[]', { line: 3, error: 'is not a JSON object' }],
    ['null', { line: 3, error: 'is not a JSON object' }],
    ['"text"', { line: 3, error: 'is not a JSON object' }],
  ])('%s gets an explanation', (text, expected) => {
    expect(readRow({ number: 3, text }, textRow)).toEqual(expected);
  });

  it('passes on why a line could not be read', () => {
    expect(readRow({ number: 2, problem: 'is not UTF-8' }, textRow)).toEqual({
      line: 2,
      error: 'is not UTF-8',
    });
  });
});

describe('a conversation', () => {
  it.each(['', ', "replies": null', ', "replies": []'])('may have no replies: {…%s}', (replies) => {
    const line = { number: 1, text: `{"id": "c", "turns": ["a", "b"]${replies}}` };
    expect(readRow(line, conversationRow)).toEqual({ row: { id: 'c', turns: ['a', 'b'], replies: [] } });
  });

  it.each([
    ['{"id": "c"}', 'turns must be a list of strings'],
    ['{"id": "c", "turns": "a"}', 'turns must be a list of strings'],
    ['{"id": "c", "turns": ["a", 1]}', 'turns.1 must be a string'],
    ['{"id": "c", "turns": [], "replies": [null]}', 'replies.0 must be a string'],
  ])('%s gets an explanation', (text, error) => {
    expect(readRow({ number: 1, text }, conversationRow)).toEqual({ id: 'c', line: 1, error });
  });
});
