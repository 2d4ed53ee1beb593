import { describe, expect, it } from 'vitest';

import { csv } from '../../../page/csv.ts';

describe('CSV of the operator page', () => {
  it('quotes separators, quotes and line ends, and doubles quotes', () => {
    const rows = csv(
      ['name', 'usd'],
      [
        ['a,b', 1.5],
        ['say "hi"', 0],
        ['two\nlines', null],
      ],
    );
    expect(rows).toBe('name,usd\r\n"a,b",1.5\r\n"say ""hi""",0\r\n"two\nlines",\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])('keeps a spreadsheet from running %j', (name) => {
    expect(csv(['name'], [[name]])).toBe(`name\r\n'${name}\r\n`);
  });

  it('does not quote numbers, negative ones included', () => {
    expect(csv(['usd'], [[-2]])).toBe('usd\r\n-2\r\n');
  });
});
