import { describe, expect, it } from 'vitest';
import { createAuditLog, createLogger } from '../../../src/telemetry/logger.ts';

function lines(write: (destination: { write: (line: string) => void }) => void): unknown[] {
  const written: unknown[] = [];
  write({ write: (line) => written.push(JSON.parse(line)) });
  return written;
}

describe('the audit channel', () => {
  it('is not silenced by the log level', () => {
    const written = lines((destination) => {
      createLogger('error', { name: 'gateway' }, destination).info('of no matter');
      createAuditLog({ name: 'gateway' }, destination).info({ check: 'loop' }, 'denied');
    });
    expect(written).toMatchObject([{ channel: 'audit', level: 'info', check: 'loop', msg: 'denied' }]);
  });

  it('redacts credentials like any log', () => {
    const written = lines((destination) => {
      createAuditLog({}, destination).info({ rawKey: 'gw-1', finding: { secret: 'AKIA' } }, 'denied');
    });
    expect(written).toMatchObject([{ rawKey: '[redacted]', finding: { secret: '[redacted]' } }]);
  });
});

describe('a log line', () => {
  const CREDENTIALS = ['rawKey', 'providerKey', 'password', 'secret', 'token', 'authorization', 'headers'];

  it.each(CREDENTIALS)('has no %s, at the top or in an object, with any value', (name) => {
    for (const value of ['x-4711', 4711, { deep: 'x-4711' }, ['x-4711']]) {
      const fields = { [name]: value, inner: { [name]: value, kept: 1 }, kept: 2 };
      const before = structuredClone(fields);
      const written = lines((destination) => {
        createLogger('info', {}, destination).child({}).info(fields, 'said');
      });
      expect(written).toMatchObject([
        { [name]: '[redacted]', inner: { [name]: '[redacted]', kept: 1 }, kept: 2, msg: 'said' },
      ]);
      expect(JSON.stringify(written)).not.toContain('4711');
      // The logged object belongs to the caller and stays unchanged.
      expect(fields).toEqual(before);
    }
  });

  it('keeps errors and lists', () => {
    const written = lines((destination) => {
      createLogger('info', {}, destination).error(
        { err: new Error('broken'), list: [1, 2], nothing: null },
        'said',
      );
    });
    expect(written).toMatchObject([{ err: { message: 'broken' }, list: [1, 2], nothing: null }]);
  });
});
