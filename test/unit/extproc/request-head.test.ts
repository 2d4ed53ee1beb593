import { describe, expect, it } from 'vitest';
import { readResponseHead } from '../../../src/extproc/request-head.ts';

const header = (key: string, value: string) => ({ key, raw_value: Buffer.from(value) });

describe('the head of an answer', () => {
  it('joins repeated headers, so that a second coding does not hide the first', () => {
    const { status, headers } = readResponseHead({
      headers: {
        headers: [
          header(':status', '200'),
          header('content-encoding', 'gzip'),
          header('content-encoding', 'identity'),
        ],
      },
    });
    expect(status).toBe(200);
    expect(headers.get('content-encoding')).toBe('gzip, identity');
  });
});
