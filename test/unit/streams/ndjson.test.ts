import { describe, expect, it } from 'vitest';
import { ndjson } from '../../../src/streams/ndjson.ts';

describe('ndjson', () => {
  it.each(['', '\n', '\r\n', ' \t\n', '\u00a0\n'])('keeps the end of a changed line: %j', (end) => {
    const raw = Buffer.from(`{"a": 1 }${end}`);
    expect(ndjson.withData({ raw, data: '{"a": 1 }' }, '{"a":2}').toString()).toBe(`{"a":2}${end}`);
  });

  it('changes a line of many blanks in linear time', () => {
    const data = `{"a":1${' '.repeat(60_000)}}`;
    const before = process.cpuUsage();
    const changed = ndjson.withData({ raw: Buffer.from(`${data}\n`), data }, data);
    expect(changed.toString()).toBe(`${data}\n`);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });
});
