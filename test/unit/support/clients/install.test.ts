import { describe, expect, it } from 'vitest';
import { complaint } from '../../../support/clients/install.ts';

describe('why an install failed', () => {
  it('is npm’s first error, not the location of its log', () => {
    const stderr = [
      'npm error code ECONNREFUSED',
      'npm error syscall connect',
      'npm error errno ECONNREFUSED',
      'npm error FetchError: request to http://127.0.0.1:9/left-pad failed, reason: connect ECONNREFUSED 127.0.0.1:9',
      'npm error     at ClientRequest.<anonymous> (index.js:130:14)',
      'npm error A complete log of this run can be found in: /home/me/.npm/_logs/1.log',
    ].join('\n');
    expect(complaint(stderr)).toBe(
      'FetchError: request to http://127.0.0.1:9/left-pad failed, reason: connect ECONNREFUSED 127.0.0.1:9',
    );
  });

  it('is the last line of any other program', () => {
    expect(complaint('go: downloading\ngo: no such module\n')).toBe('go: no such module');
  });
});
