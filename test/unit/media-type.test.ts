import { describe, expect, it } from 'vitest';

import { readMediaType, type MediaType } from '../../src/media-type.ts';

describe('a Content-Type', () => {
  it.each([
    [undefined, ''],
    ['', ''],
    ['application/json', 'application/json'],
    [' Text/Event-Stream ; charset=utf-8', 'text/event-stream'],
    ['text/event-stream;', 'text/event-stream'],
    ['\tapplication/json\t', 'application/json'],
    ['application/json, text/event-stream', ''],
    ['text/event-stream; x=1, application/json', ''],
    ['application/json\u00a0', ''],
    ['application/jsön', ''],
  ])('%j names %j', (written, essence) => {
    expect(readMediaType(written).essence).toBe(essence);
  });

  it.each<[string, MediaType['charset']]>([
    ['text/plain', 'utf-8'],
    ['text/plain; charset=utf-8', 'utf-8'],
    ['text/plain;CHARSET=UTF8', 'utf-8'],
    ['text/plain; charset="utf-8"', 'utf-8'],
    ['text/plain; charset = " UTF-8 " ; x=1', 'utf-8'],
    ['text/plain; x=1; charset=utf-8', 'utf-8'],
    ['text/plain; charset=', 'ascii-based'],
    ['text/plain; charset=""', 'ascii-based'],
    ['text/plain; charset=US-ASCII', 'ascii-based'],
    ['text/plain; charset=iso-8859-1', 'ascii-based'],
    ['text/plain; charset=windows-1252; charset=utf-8', 'ascii-based'],
    ['text/plain; charset=utf-16', 'other'],
    ['text/plain; charset="utf-16"', 'other'],
    ['text/plain; charset=utf-16le', 'other'],
    ['text/plain; charset=utf-7', 'other'],
    ['text/plain; charset=utf-8x', 'other'],
    ['text/plain; charset=ibm037', 'other'],
    // Some readers take the first of two, others the last.
    ['text/plain; charset=utf-8; charset=utf-16', 'other'],
    ['text/plain; charset=utf-16; charset=utf-8', 'other'],
    ['text/plain; charset=utf-8, text/plain; charset=utf-16', 'other'],
    // Some readers do not know quotes, others take their content for one string.
    ['text/plain; x="; charset=utf-16"', 'other'],
    ['text/plain; x="\\"; charset=utf-16', 'other'],
    ['text/plain; charset="utf-8', 'other'],
    ['text/plain; charset="utf\\-8"', 'other'],
    ["text/plain; charset='utf-8'", 'other'],
    // RFC 2231, which readers made for mail know.
    ["text/plain; charset*=us-ascii''utf-16", 'other'],
    ['text/plain; charset*0=utf-; charset*1=16', 'other'],
    ['text/plain; charset', 'other'],
    ['text/plain; charset:utf-16', 'other'],
    ['text/plain charset=utf-16', 'other'],
    ['text/plain; charset=utf-8 charset=utf-16', 'other'],
  ])('%j is in %j', (written, charset) => {
    expect(readMediaType(written).charset).toBe(charset);
  });

  it.each([
    ['application/json', false],
    ['application/json; charset=utf-8', false],
    ['application/json;charset=utf-8 ; charset="utf-8"', false],
    ['application/json;', true],
    ['application/json; profile=x', true],
    ['application/json; charset=utf-8; boundary=x', true],
  ])('%j has other parameters: %j', (written, has) => {
    expect(readMediaType(written).hasOtherParameters).toBe(has);
  });

  it.each([
    ['blanks', ' '.repeat(60_000)],
    ['blanks and a quote', `charset=${' '.repeat(60_000)}"`],
    ['names', 'charset'.repeat(9_000)],
    ['pieces', ';charset=utf-8'.repeat(4_000)],
    ['separators', ';,'.repeat(30_000)],
    ['quotes', `charset=${'"'.repeat(60_000)}`],
  ])('of 60,000 %s is read in no time', (_name, part) => {
    const before = process.cpuUsage();
    for (let n = 0; n < 10; n++) readMediaType(`text/plain;${part}x`);
    const { user } = process.cpuUsage(before);
    expect(user / 10_000).toBeLessThan(25);
  });
});
