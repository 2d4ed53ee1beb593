import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { startAtZero } from '../../src/zero-series.ts';
import { defaultConfig } from '../support/default-config.ts';

async function seriesAtStart(): Promise<readonly string[]> {
  const metrics = createMetrics();
  const server = { name: 'files', url: 'https://mcp.example.com/' };
  startAtZero(metrics, defaultConfig({ mcp: { enabled: true, servers: [server] } }));
  return (await metrics.registry.metrics()).split('\n');
}

describe('series of closed label sets', () => {
  it.each([
    'gateway_risk_locks_total{trigger="secret_exfiltration"} 0',
    'gateway_risk_events_total{trigger="policy_block"} 0',
    'gateway_audit_records_total{sink="file",outcome="dropped"} 0',
    'gateway_policy_loads_total{outcome="broken"} 0',
    'gateway_policies_broken 0',
    'gateway_mcp_circuit_changes_total{server="files",circuit="server",change="opened"} 0',
    'gateway_absurd_usages_total{provider="openai"} 0',
    'gateway_spend_usd_total{provider="bedrock"} 0',
    'gen_ai_client_token_usage_total{provider="anthropic",kind="output"} 0',
    'gateway_trace_spans_total{outcome="failed"} 0',
    'gateway_trace_spans_total{outcome="dropped"} 0',
    'gateway_escalations_total{outcome="timeout"} 0',
    'gateway_dlp_findings_total{class="secret",side="answer",action="quarantine"} 0',
    'gateway_jwt_refusals_total{fault="dpop_replayed"} 0',
    'gateway_alerts_total{type="key.quarantined",outcome="unreachable"} 0',
    'gateway_budget_alerts_total{window="monthly"} 0',
    'gateway_failures_total 0',
  ])('begin at zero: %s', async (series) => {
    expect(await seriesAtStart()).toContain(series);
  });

  it('are few', async () => {
    const series = (await seriesAtStart()).filter(
      (line) => line.startsWith('g') && !line.includes('_bucket'),
    );
    expect(series.length).toBeLessThan(400);
    expect(series.every((line) => line.endsWith(' 0'))).toBe(true);
  });
});
