import { describe, expect, it } from 'vitest';
import { createAudit, createMatchDigest, type AuditEvent } from '../../../src/telemetry/audit.ts';

function rig() {
  const lines: [level: string, fields: object, message: string][] = [];
  const audit = createAudit(
    { info: (fields: object, message: string) => lines.push(['info', fields, message]) } as never,
    { debug: (fields: object, message: string) => lines.push(['debug', fields, message]) } as never,
    createMatchDigest(''),
  );
  return { audit, lines };
}

const EVENT: AuditEvent = {
  event: 'tool_response_inspected',
  requestId: 'r-1',
  keyHash: 'sha256:abc',
  action: 'redacted',
  enforced: true,
  server: 'files',
  tool: 'read',
  findings: [{ rule: 'a', class: 'override', path: 'result.content.0.text', start: 1, end: 2, digest: 'd' }],
  moreFindings: 3,
};

describe('a security audit event', () => {
  it('is one line of the audit channel', () => {
    const { audit, lines } = rig();
    audit.emit(EVENT);
    expect(lines).toEqual([
      [
        'info',
        {
          audit: 'tool_response_inspected',
          request_id: 'r-1',
          key_hash: 'sha256:abc',
          server: 'files',
          tool: 'read',
          action: 'redacted',
          enforced: true,
          findings: EVENT.findings,
          more_findings: 3,
          suppressed_rules: undefined,
        },
        'security audit event',
      ],
    ]);
  });

  it('about a suppressed rule goes to the debug log', () => {
    const { audit, lines } = rig();
    audit.emit({ ...EVENT, action: 'suppressed', findings: [], suppressedRules: ['a'] });
    expect(lines).toMatchObject([
      ['debug', { action: 'suppressed', suppressed_rules: ['a'] }, 'security audit event'],
    ]);
  });

  it('has equal digests for equal matches, which do not reveal them', () => {
    const digest = createMatchDigest('');
    expect(digest('a match')).toBe(digest('a match'));
    expect(digest('a match')).not.toBe(digest('another'));
    expect(digest('a match')).toMatch(/^[\w-]{22}$/);
    expect(createMatchDigest('')('a match')).not.toBe(digest('a match'));
    expect(createMatchDigest('a key')('a match')).toBe(createMatchDigest('a key')('a match'));
  });
});
