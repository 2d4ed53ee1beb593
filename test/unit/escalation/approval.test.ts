import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readApproval, requestDigest, signApproval } from '../../../src/escalation/approval.ts';
import type { Escalation } from '../../../src/escalation/escalation.ts';
import { newEscalation } from '../../support/new-escalation.ts';

const SECRET = 'shared by approvers and gateways';
const ASKED: Escalation = {
  ...newEscalation(),
  id: '6f1f7c62-3c5e-4a7b-9a55-8c6d6c1f0d11',
  rules: [{ rule: 'dear', reason: 'dear' }],
  requested_at: 1_000,
  expiry: 61_000,
};
const UNSIGNED = {
  id: ASKED.id,
  nonce: ASKED.nonce,
  key_hash: ASKED.key_hash,
  decision: 'approve',
  approver: 'Zoë "Z"',
  expiry: 61_000,
  request_digest: ASKED.request_digest,
} as const;

describe('an approval', () => {
  it('is signed over its RFC 8785 form, which any program can write', () => {
    // Members by name, no blanks, numbers as in ECMAScript, text unchanged.
    const canonical =
      `{"approver":"Zoë \\"Z\\"","decision":"approve","expiry":61000,"id":"${ASKED.id}","key_hash":"sha256:k",` +
      `"nonce":"${ASKED.nonce}","request_digest":"${ASKED.request_digest}"}`;
    const hmac = createHmac('sha256', SECRET).update(canonical, 'utf8').digest('hex');
    expect(signApproval(UNSIGNED, SECRET)).toEqual({ ...UNSIGNED, hmac });
    // The order of members in the message does not matter.
    const sent = JSON.stringify({ hmac, ...UNSIGNED });
    expect(readApproval(sent, ASKED, SECRET)).toEqual({ approval: { ...UNSIGNED, hmac } });
  });

  it.each(['id', 'nonce', 'key_hash', 'decision', 'approver', 'expiry', 'request_digest'] as const)(
    'is forged if its %s was changed',
    (name) => {
      const changed = { decision: 'deny', expiry: 61_001 }[name as string] ?? `${UNSIGNED[name]}x`;
      const sent = JSON.stringify({ ...signApproval(UNSIGNED, SECRET), [name]: changed });
      expect(readApproval(sent, ASKED, SECRET)).toEqual({ fault: 'forged' });
    },
  );

  it.each(['id', 'nonce', 'key_hash', 'request_digest'] as const)(
    'is not valid for this request if it was given for another %s',
    (name) => {
      const sent = JSON.stringify(signApproval({ ...UNSIGNED, [name]: `${UNSIGNED[name]}x` }, SECRET));
      expect(readApproval(sent, ASKED, SECRET)).toEqual({ fault: 'mismatched' });
    },
  );

  it.each([
    '',
    'null',
    '[]',
    JSON.stringify(UNSIGNED),
    JSON.stringify({ ...signApproval(UNSIGNED, SECRET), extra: 1 }),
    JSON.stringify({ ...signApproval(UNSIGNED, SECRET), hmac: 'zz' }),
    JSON.stringify(signApproval({ ...UNSIGNED, approver: '\u001b[2J' }, SECRET)),
    JSON.stringify(signApproval({ ...UNSIGNED, approver: 'x'.repeat(129) }, SECRET)),
    `${JSON.stringify(signApproval(UNSIGNED, SECRET))}${' '.repeat(5_000)}`,
  ])('is invalid: %#', (sent) => {
    expect(readApproval(sent, ASKED, SECRET)).toEqual({ fault: 'malformed' });
  });

  it('is for one method, address and body', () => {
    const request = { method: 'POST', path: '/v1/chat/completions', query: '?a=1', body: Buffer.from('{}') };
    const expected = createHash('sha256').update('POST /v1/chat/completions?a=1\n{}').digest('hex');
    expect(requestDigest(request)).toBe(`sha256:${expected}`);
  });
});
