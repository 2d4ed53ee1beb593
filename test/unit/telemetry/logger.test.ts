import { describe, expect, it } from 'vitest';
import { createAuditLog, createLogger } from '../../../src/telemetry/logger.ts';

function lines(write: (destination: { write: (line: string) => void }) => void): unknown[] {
  const written: unknown[] = [];
  write({ write: (line) => written.push(JSON.parse(line)) });
  return written;
}

describe('the audit channel', () => {
  it('is not silenced by the level of the log beside it', () => {
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
