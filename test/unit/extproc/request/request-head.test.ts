import { describe, expect, it } from 'vitest';
import { readResponseHead } from '../../../../src/extproc/request/request-head.ts';

describe('the head of an answer', () => {
  it('joins repeated headers, so that a second encoding cannot hide the first', () => {
    const { status, headers } = readResponseHead([
      [':status', '200'],
      ['content-encoding', 'gzip'],
      ['content-encoding', 'identity'],
    ]);
    expect(status).toBe(200);
    expect(headers.get('content-encoding')).toBe('gzip, identity');
  });
});
