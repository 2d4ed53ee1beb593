import { describe, expect, it } from 'vitest';
import { createTrailObserver } from '../../../src/audit/observe.ts';
import type { AuditedFinish } from '../../../src/audit/observed.ts';
import type { OcsfRecord } from '../../../src/audit/ocsf.ts';
import { maskSecrets } from '../../../src/detectors/mask.ts';
import type { SessionFacts } from '../../../src/pipeline/facts.ts';
import { createMatchDigest } from '../../../src/telemetry/audit.ts';
import { parsed } from '../../support/exchange.ts';
import { makeSecret, seededRandom } from '../detectors/secrets/samples.ts';

const { secret: SECRET } = makeSecret('aws_access_key_id', seededRandom(1));

const SESSION: SessionFacts = {
  id: 's-1',
  createdAt: 1,
  state: undefined,
  spendNanoUsd: 0,
  steps: 1,
  taintFlags: [],
  toolsCalled: [],
  marks: [],
  budgetNanoUsd: undefined,
  lifeMs: 1_000,
};

function rig() {
  const records: OcsfRecord[] = [];
  const observer = createTrailObserver({ record: (record) => records.push(record) }, maskSecrets);
  return { records, observer };
}

function finish(exchange: AuditedFinish['exchange'], over: Partial<AuditedFinish> = {}): AuditedFinish {
  return {
    requestId: 'r-1',
    clientAddress: '192.0.2.7',
    exchange,
    refusal: undefined,
    status: 200,
    outcome: { kind: 'complete' },
    usage: { inputTokens: 3, outputTokens: 4 },
    durationMs: 12.4,
    isLogged: true,
    ...over,
  };
}

describe('a request in the audit trail', () => {
  it('is an API Activity of OCSF 1.8: actor, action and outcome', () => {
    const { records, observer } = rig();
    const exchange = parsed({ body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] } });
    observer.reserved(exchange, 0.75);
    observer.charged(exchange, 0.25);
    observer.finished(finish(exchange, { traceId: '4bf92f35' }));
    expect(records).toEqual([
      expect.objectContaining({
        class_uid: 6003,
        category_uid: 6,
        type_uid: 600301,
        severity_id: 1,
        status_id: 1,
        status_code: '200',
        duration: 12,
        action_id: 1,
        disposition_id: 1,
        actor: { user: { uid: exchange.key.keyHash, name: 'test key' } },
        src_endpoint: { ip: '127.0.0.1' },
        ai_model: { name: 'gpt-4o', ai_provider: 'openai' },
        message_context: expect.objectContaining({
          prompt_tokens: 3,
          completion_tokens: 4,
          total_tokens: 7,
        }) as object,
        unmapped: {
          stage: 'finished',
          outcome: 'complete',
          trace_id: '4bf92f35',
          reserved_usd: 0.75,
          cost_usd: 0.25,
        },
      }),
    ]);
    const [record] = records as unknown as { metadata: Record<string, unknown>; time: number }[];
    expect(record?.metadata).toMatchObject({ version: '1.8.0', correlation_uid: 'test' });
    expect(Math.abs((record?.time ?? 0) - Date.now())).toBeLessThan(10_000);
    expect(JSON.stringify(records)).not.toContain('hello');
  });

  it('does not name a secret, even as a session', () => {
    const { records, observer } = rig();
    const exchange = parsed({ body: { model: SECRET, messages: [] } });
    exchange.facts.session = { ...SESSION, id: SECRET };
    observer.forwarding(exchange);
    observer.verdict(exchange, 'loop', { kind: 'flag', reason: SECRET }, true);
    observer.finished(finish(exchange));
    expect(records).toHaveLength(3);
    expect(JSON.stringify(records)).not.toContain(SECRET);
  });

  it('names the verdicts, and the refusal', () => {
    const { records, observer } = rig();
    const exchange = parsed({ body: { model: 'gpt-4o', messages: [] } });
    observer.verdict(exchange, 'hosted-tools', { kind: 'rewrite', reason: 'web_search' }, true);
    observer.verdict(exchange, 'policy', { kind: 'deny', type: 'policy_denied', message: 'no' }, false);
    observer.policyDecided(exchange, { policySet: 'abc', verdict: 'deny', rules: [{ rule: 'x' }] });
    const refusal = { type: 'budget_exceeded', message: 'the daily budget is used up' };
    observer.finished(finish(exchange, { status: 429, refusal, outcome: { kind: 'not_forwarded' } }));
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      status_id: 2,
      status_detail: 'budget_exceeded',
      action_id: 2,
      disposition: 'Blocked',
      severity_id: 3,
      authorizations: [
        { decision: 'rewritten', policy: { name: 'hosted-tools', desc: 'web_search' } },
        { decision: 'would be denied', policy: { name: 'policy', desc: 'no' } },
      ],
      unmapped: { policy_set: 'abc', policy_verdict: 'deny', rules: [{ rule: 'x' }] },
    });
  });

  it('of a stranger has only the address, and is omitted together with its log line', () => {
    const { records, observer } = rig();
    const refusal = { type: 'invalid_key', message: 'the proxy key is not valid' };
    observer.finished(finish(undefined, { status: 401, refusal, isLogged: false }));
    expect(records).toEqual([]);
    observer.finished(finish(undefined, { status: 401, refusal }));
    expect(records[0]).toMatchObject({ src_endpoint: { ip: '192.0.2.7' }, actor: { user: { type_id: 0 } } });
  });

  it('of a locked key names the key as actor', () => {
    const { records, observer } = rig();
    const key = { keyHash: 'sha256:abc', name: 'planner' };
    const refusal = { type: 'quarantined', message: 'this proxy key is locked', key };
    observer.finished(finish(undefined, { status: 403, refusal }));
    expect(records[0]).toMatchObject({
      src_endpoint: { ip: '192.0.2.7' },
      actor: { user: { uid: key.keyHash, name: 'planner' } },
      resources: [{ type: 'proxy_key', name: 'planner' }],
    });
  });

  it('has a limited number of verdicts', () => {
    const { records, observer } = rig();
    const exchange = parsed({ body: { model: 'm', messages: [] } });
    for (let nth = 0; nth < 1_000; nth += 1) {
      observer.verdict(exchange, 'session', { kind: 'flag', reason: 'x'.repeat(10_000) }, false);
    }
    observer.verdict(exchange, 'dlp', { kind: 'deny', type: 'dlp_quarantine', message: 'a secret' }, true);
    observer.finished(finish(exchange));
    expect(records.map((record) => record.class_uid)).toEqual([2004, 6003]);
    expect(JSON.stringify(records).length).toBeLessThan(32 * 1024);
    expect(records[1]?.unmapped).toMatchObject({ more_verdicts: 968 });
  });

  it.each([
    ['a model', { model: SECRET, messages: [] }],
    ['a long model', { model: `${'x'.repeat(500)} ${SECRET}`, messages: [] }],
  ])('shows no secret written as %s', (_what, body) => {
    const { records, observer } = rig();
    const exchange = parsed({ body });
    observer.forwarding(exchange);
    observer.verdict(exchange, 'dlp', { kind: 'deny', type: 'dlp_quarantine', message: SECRET }, true);
    observer.finished(finish(exchange, { refusal: { type: 'policy_denied', message: `no: ${SECRET}` } }));
    expect(records).toHaveLength(3);
    expect(JSON.stringify(records)).not.toContain(SECRET.slice(0, 12));
  });
});

describe('a detection in the audit trail', () => {
  it('is a Detection Finding: rule, place and keyed digest, never the match', () => {
    const { records, observer } = rig();
    const exchange = parsed({ body: { model: 'm', messages: [] } });
    const finding = { rule: 'aws_access_key_id', class: 'secret', start: 4, end: 24 };
    observer.dlpFound(exchange, 'answer', [{ finding, text: SECRET }], createMatchDigest('k'));
    expect(records[0]).toMatchObject({
      class_uid: 2004,
      type_uid: 200401,
      finding_info: { uid: 'test:dlp', title: 'found in the answer', analytic: { name: 'dlp' } },
      evidences: [{ name: 'aws_access_key_id', data: { class: 'secret', start: 4, end: 24 } }],
    });
    expect(JSON.stringify(records)).not.toContain(SECRET);
    expect(JSON.stringify(records)).toContain(createMatchDigest('k')(SECRET));
  });

  it('of the inspector records a redacted tool response', () => {
    const { records, observer } = rig();
    const finding = { rule: 'r', class: 'override', path: 'result.0', start: 1, end: 2, digest: 'd' };
    const event = {
      event: 'tool_response_inspected',
      requestId: 'r-1',
      keyHash: 'sha256:a',
      server: 'files',
    };
    observer.inspected({ ...event, tool: 'read', action: 'redacted', enforced: true, findings: [finding] });
    observer.inspected({ ...event, action: 'suppressed', enforced: true, findings: [] });
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      class_uid: 2004,
      disposition: 'Corrected',
      evidences: [{ name: 'r', data: { path: 'result.0', digest: 'd' } }],
      resources: [
        { type: 'mcp_server', name: 'files' },
        { type: 'mcp_tool', name: 'read' },
      ],
    });
  });

  it('that shadow mode let pass is recorded as detected only', () => {
    const { records, observer } = rig();
    const exchange = parsed({ body: { model: 'm', messages: [] } });
    observer.verdict(exchange, 'loop', { kind: 'deny', type: 'loop_detected', message: 'a loop' }, false);
    expect(records[0]).toMatchObject({
      disposition: 'Detected',
      action_id: 1,
      unmapped: { enforced: false },
    });
  });
});
