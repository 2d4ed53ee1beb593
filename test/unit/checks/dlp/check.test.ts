import { describe, expect, it } from 'vitest';
import { createReportSecretLeak } from '../../../../src/checks/report-secret-leak.ts';
import { createMemoryRiskStore } from '../../../../src/risk/memory-store.ts';
import { findingId } from '../../../../src/checks/finding-id.ts';
import { answered, AWS_KEY, CARD, dlp, EMAIL, judgeAnswer, judgeRequest, KEY_HASH, parsed } from './rig.ts';

const said = (text: string) => answered({ body: { choices: [{ message: { content: text } }] } });

describe('the DLP check', () => {
  it('has no hook if everything is disabled', () => {
    const { check } = dlp({ enabled: false, requests: 'off' });
    expect(Object.keys(check).toSorted()).toEqual(['name', 'shadowable']);
    expect(check).toEqual({ name: 'dlp', shadowable: true });
  });

  it('has the hooks of the enabled features', () => {
    const hooks = (rig: ReturnType<typeof dlp>): string[] =>
      Object.keys(rig.check).filter((name) => name !== 'name' && name !== 'shadowable');
    expect(hooks(dlp({ enabled: false, requests: 'mask' }))).toEqual(['requestBody']);
    expect(hooks(dlp({ requests: 'off' }))).toEqual(['response', 'stream']);
  });

  it('passes an answer without findings', async () => {
    const rig = dlp();
    expect((await judgeAnswer(rig, said('All is fine.'))).verdict).toEqual({ kind: 'pass' });
    expect(rig.classes).toEqual([]);
  });

  it('searches an answer once if the next request repeats it, and again if it was masked', async () => {
    const rig = dlp({ requests: 'mask' });
    const clean = 'The volcano is quiet, and the glacier on it grows. '.repeat(8);
    const withCard = `${clean} ${CARD}`;
    for (const text of [clean, withCard, withCard]) await judgeAnswer(rig, said(text));
    const request = parsed({ body: { messages: [{ role: 'assistant', content: clean }] } });
    expect((await judgeRequest(rig, request)).verdict).toEqual({ kind: 'pass' });
    expect(rig.classes).toHaveLength(2);
    const times = (part: string): number => rig.searched.filter((text) => text.endsWith(part)).length;
    expect([times(clean), times(withCard)]).toEqual([1, 2]);
  });

  it('masks personal data, and reports it once per class', async () => {
    const rig = dlp();
    const exchange = said(`${EMAIL}, ${EMAIL} paid with ${CARD}`);
    const { verdict, body } = await judgeAnswer(rig, exchange);
    expect(verdict).toMatchObject({
      kind: 'rewrite',
      reason: 'masked in the answer: email (email_address), card (visa)',
    });
    expect(body).toBe('{"choices":[{"message":{"content":"***, *** paid with ***"}}]}');
    expect([...exchange.responseHeaders]).toEqual([['x-gateway-dlp-redacted', 'true']]);
    expect(rig.classes).toEqual([
      { class: 'email', side: 'answer', action: 'mask' },
      { class: 'card', side: 'answer', action: 'mask' },
    ]);
    expect(rig.leaks).toEqual([]);
  });

  it('does nothing until its verdict is enforced, so nothing in shadow mode', async () => {
    const rig = dlp();
    const masked = said(EMAIL);
    await rig.check.response?.(masked, undefined);
    const withheld = said(AWS_KEY);
    await rig.check.response?.(withheld, undefined);
    for (const { answer, responseHeaders } of [masked, withheld]) {
      expect(answer.whole.edits).toEqual([]);
      expect(answer.whole.replacement).toBeUndefined();
      expect([...responseHeaders]).toEqual([]);
    }
    expect(rig.leaks).toEqual([]);
  });

  it('withholds a secret, and reports it without its text', async () => {
    const rig = dlp({ quarantine_duration: '10m' });
    const exchange = said(`${AWS_KEY} of ${EMAIL}`);
    const { verdict } = await judgeAnswer(rig, exchange);
    expect(verdict).toEqual({
      kind: 'deny',
      type: 'dlp_quarantine',
      message: 'the answer was withheld: it contains secrets',
      headers: { 'x-gateway-dlp-block': 'true' },
      findings: [
        { rule: 'dlp', detector: 'secrets', finding: 'aws_access_key_id', class: 'secret', place: 'answer' },
      ],
      enforce: expect.any(Function) as () => Promise<void>,
    });
    expect(rig.leaks).toEqual([
      { exchange, findings: [findingId('aws_access_key_id', AWS_KEY)], lockMs: 600_000 },
    ]);
    expect(JSON.stringify(verdict) + JSON.stringify(rig.leaks[0]?.findings)).not.toContain(AWS_KEY);
    expect(rig.classes).toEqual([
      { class: 'secret', side: 'answer', action: 'quarantine' },
      { class: 'email', side: 'answer', action: 'mask' },
    ]);
  });

  it('under action mask masks a secret, and reports nothing', async () => {
    const rig = dlp({ action: 'mask' });
    const { body } = await judgeAnswer(rig, said(`key ${AWS_KEY}`));
    expect(body).toBe('{"choices":[{"message":{"content":"key ***"}}]}');
    expect(rig.leaks).toEqual([]);
  });

  it('under action quarantine withholds personal data too, and reports it', async () => {
    const rig = dlp({ action: 'quarantine' });
    const { verdict } = await judgeAnswer(rig, said(`to ${EMAIL}`));
    expect(verdict).toMatchObject({ message: 'the answer was withheld: it contains email addresses' });
    expect(rig.leaks).toMatchObject([{ personalDataOnly: true }]);
  });

  it('taints for a secret beside personal data, not for personal data alone', async () => {
    const rig = dlp({ action: 'quarantine' });
    await judgeAnswer(rig, said(`${EMAIL} ${AWS_KEY}`));
    await judgeAnswer(rig, said(CARD));
    expect(rig.leaks.map(({ personalDataOnly }) => personalDataOnly)).toEqual([undefined, true]);
  });

  it('reports at most as many findings as one event of the risk store accepts', async () => {
    const rig = dlp({ action: 'quarantine' });
    const many = Array.from(
      { length: 500 },
      (_, n) => `user${String(n)}.${EMAIL} at 10.0.0.${String(n % 250)}`,
    );
    await judgeAnswer(rig, said(many.join(' ')));
    expect(rig.leaks[0]?.findings).toHaveLength(64);
  });

  it('ignores everything but a provider’s whole answer', async () => {
    const { check } = dlp();
    const exchange = said(EMAIL);
    for (const other of [
      { ...exchange, origin: 'lost' },
      { ...exchange, mcp: { server: 's', form: 'tools_call' } },
      { ...exchange, answer: { ...exchange.answer, whole: undefined } },
    ]) {
      expect(await check.response?.(other as typeof exchange, undefined)).toEqual({ kind: 'pass' });
    }
  });

  it('rewrites streams of providers, not of MCP servers', () => {
    const { check } = dlp();
    const stream = { ...said(''), form: 'stream' } as const;
    expect(check.stream?.(stream, undefined)).toBeDefined();
    const mcp = { ...stream, mcp: { server: 's', form: 'streamable_http' } } as const;
    expect(check.stream?.(mcp, undefined)).toBeUndefined();
  });
});

describe('a secret that leaks', () => {
  const settings = {
    enabled: true,
    profileTtlMs: 0,
    autoQuarantineThreshold: 75,
    permanentBlockThreshold: 90,
    sessionTtlMs: 86_400_000,
  };
  function leak(session?: string) {
    const exchange = said('');
    if (session !== undefined) exchange.facts.session = { id: session } as typeof exchange.facts.session;
    return { exchange, findings: ['r:1'], lockMs: 5_000 };
  }

  it('locks its key, scores +30 once for the same finding, and taints an existing session', async () => {
    const risk = createMemoryRiskStore({ settings });
    const tainted: string[] = [];
    const report = createReportSecretLeak({
      record: (event) => risk.record(event),
      addTaint: ({ keyHash, sessionId, operationId }, flag) => {
        tainted.push(`${keyHash} ${sessionId} ${flag} ${String(operationId.length)}`);
        return Promise.resolve('added');
      },
    });
    await report(leak());
    expect(tainted).toEqual([]);
    await report(leak('s-1'));
    expect(tainted).toEqual([`${KEY_HASH} s-1 secret_accessed 32`]);
    const { risk: profile, lock } = await risk.read(KEY_HASH);
    expect(profile).toMatchObject({ riskScore: 30, persistentTaintFlags: ['secret_accessed'] });
    expect(lock?.ttlMs).toBeGreaterThan(4_000);
  });

  it('locks and scores for personal data as for a secret, and taints neither session nor profile', async () => {
    const risk = createMemoryRiskStore({ settings });
    const tainted: string[] = [];
    const report = createReportSecretLeak({
      record: (event) => risk.record(event),
      addTaint: (_, flag) => {
        tainted.push(flag);
        return Promise.resolve('added');
      },
    });
    await report({ ...leak('s-1'), personalDataOnly: true });
    await report({ ...leak('s-1'), personalDataOnly: true });
    expect(tainted).toEqual([]);
    const { risk: profile, lock } = await risk.read(KEY_HASH);
    expect(profile).toMatchObject({ riskScore: 30, persistentTaintFlags: [] });
    expect(lock?.ttlMs).toBeGreaterThan(4_000);
  });

  it('locks if risk profiles are disabled', async () => {
    const risk = createMemoryRiskStore({ settings: { ...settings, enabled: false } });
    const addTaint = () => Promise.resolve('added' as const);
    await createReportSecretLeak({ record: (event) => risk.record(event), addTaint })(leak());
    const { risk: profile, lock } = await risk.read(KEY_HASH);
    expect([profile.riskScore, lock !== undefined]).toEqual([0, true]);
  });

  it('fails if the lock or the score fails', async () => {
    const failing = () => Promise.reject(new Error('gone'));
    const risk = createMemoryRiskStore({ settings });
    const record = risk.record.bind(risk);
    const addTaint = () => Promise.resolve('added' as const);
    await expect(createReportSecretLeak({ record: failing, addTaint })(leak('s'))).rejects.toThrow('gone');
    await expect(createReportSecretLeak({ record, addTaint: failing })(leak('s'))).rejects.toThrow('gone');
  });
});
