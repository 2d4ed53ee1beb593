/** One case of an alert rule: series, a scrape each 15 s, and the expected alerts. */
export interface RuleCase {
  readonly alert: string;
  readonly when: string;
  readonly series: readonly (readonly [name: string, values: string])[];
  readonly at: string;
  /** Labels of each alert, without its severity; none if the rule stays quiet. */
  readonly fires: readonly Readonly<Record<string, string>>[];
}

const A = 'job="gateway",instance="a:9090"';
const INSTANCE = { instance: 'a:9090' } as const;
const TARGET = { job: 'gateway', ...INSTANCE } as const;
/** One scrape in fifteen minutes raises it: the first event of a process. */
const FIRST_EVENT = '0x20 1x80';
/** It was raised long ago. */
const PAST_EVENT = '1x200';

/** A counter at zero fires with its first event, and is quiet about an old one. */
function firstEvent(
  alert: string,
  counter: string,
  labels = '',
  fires: RuleCase['fires'][number] = INSTANCE,
): RuleCase[] {
  const name = `${counter}{${A}${labels === '' ? '' : `,${labels}`}}`;
  return [
    { alert, when: 'at the first event', series: [[name, FIRST_EVENT]], at: '6m', fires: [fires] },
    { alert, when: 'long after an event', series: [[name, PAST_EVENT]], at: '40m', fires: [] },
    { alert, when: 'of a process that has counted nothing', series: [[name, '0x200']], at: '40m', fires: [] },
  ];
}

/** A gauge fires while it stays at `bad`, and not after a single such sample. */
function gauge(
  alert: string,
  name: string,
  [bad, good]: readonly [bad: number, good: number],
  fires: RuleCase['fires'][number] = INSTANCE,
): RuleCase[] {
  const series = `${name}{${A}}`;
  const [stays, passes] = [
    `${String(good)}x4 ${String(bad)}x60`,
    `${String(good)}x4 ${String(bad)} ${String(good)}x60`,
  ];
  return [
    { alert, when: `at ${String(bad)}`, series: [[series, stays]], at: '6m', fires: [fires] },
    { alert, when: `at ${String(good)} again`, series: [[series, passes]], at: '6m', fires: [] },
  ];
}

const REQUESTS = 'gateway_requests_total';
const REPLIES = 'gateway_envoy_replies_total';
const SHED = `gateway_shed_requests_total{${A},keys="largest"}`;
const CERTIFICATE = `gateway_certificate_expiry_timestamp_seconds{${A},certificate="server.tls.cert_file"}`;
const NOT_IN_FORCE = `gateway_config_not_in_force{${A},reason="restart"}`;
const BROKEN_CERTIFICATE = `gateway_certificate_broken{${A},certificate="server.tls.cert_file"}`;
const OF_CERTIFICATE = { ...INSTANCE, certificate: 'server.tls.cert_file' };
const FAILING_CREDENTIAL = `gateway_credential_failing{${A},credential="openai-main"}`;
const USABLE_CREDENTIAL = `gateway_credential_usable{${A},credential="openai-main"}`;
const REFUSED_CREDENTIAL = `gateway_credential_answers_total{${A},credential="openai-main",outcome="refused"}`;
const OF_CREDENTIAL = { ...INSTANCE, credential: 'openai-main' };
const DAYS = 86_400;

export const RULE_CASES: readonly RuleCase[] = [
  {
    alert: 'GatewayDown',
    when: 'the target no longer answers',
    series: [
      [`up{${A}}`, '1x8 0x60'],
      [`gateway_ready{${A}}`, '1x8 stale _x60'],
    ],
    at: '5m',
    fires: [TARGET],
  },
  {
    alert: 'GatewayDown',
    when: 'the target answers',
    series: [
      [`up{${A}}`, '1x60'],
      [`gateway_ready{${A}}`, '0x60'],
    ],
    at: '5m',
    fires: [],
  },
  {
    alert: 'GatewayDown',
    when: 'a target that never was a gateway is down',
    series: [['up{job="node",instance="b:9100"}', '0x60']],
    at: '5m',
    fires: [],
  },
  {
    alert: 'GatewayAbsent',
    when: 'there is none',
    series: [['up{job="node"}', '1x60']],
    at: '6m',
    fires: [{}],
  },
  {
    alert: 'GatewayAbsent',
    when: 'there is one',
    series: [[`gateway_ready{${A}}`, '0x60']],
    at: '6m',
    fires: [],
  },
  ...gauge('GatewayNotReady', 'gateway_ready', [0, 1]),
  ...gauge('GatewayRedisDown', 'gateway_redis_ready', [0, 1]),
  {
    alert: 'GatewayWorkersMissing',
    when: 'one of two is missing',
    series: [
      [`gateway_workers{${A}}`, '1x60'],
      [`gateway_workers_wanted{${A}}`, '2x60'],
    ],
    at: '5m',
    fires: [TARGET],
  },
  {
    alert: 'GatewayWorkersMissing',
    when: 'both are there',
    series: [
      [`gateway_workers{${A}}`, '2x60'],
      [`gateway_workers_wanted{${A}}`, '2x60'],
    ],
    at: '5m',
    fires: [],
  },
  {
    alert: 'GatewayOverloaded',
    when: 'while requests are refused',
    series: [[SHED, '0+1x60']],
    at: '10m',
    fires: [INSTANCE],
  },
  {
    alert: 'GatewayOverloaded',
    when: 'after a moment of it',
    series: [[SHED, FIRST_EVENT]],
    at: '20m',
    fires: [],
  },
  {
    alert: 'GatewayOverloaded',
    when: 'of a process that refused none',
    series: [[SHED, '0x200']],
    at: '10m',
    fires: [],
  },
  ...firstEvent('GatewayUnknownForms', 'gateway_unknown_forms_total', 'form="session"', {
    ...INSTANCE,
    form: 'session',
  }),
  ...firstEvent('GatewayUnavailable', REPLIES, 'type="gateway_unavailable"'),
  {
    alert: 'GatewayUnavailable',
    when: 'Envoy refuses requests that are too large',
    series: [[`${REPLIES}{${A},type="payload_too_large"}`, FIRST_EVENT]],
    at: '6m',
    fires: [],
  },
  ...firstEvent('GatewayWorkerRestarted', 'gateway_worker_restarts_total'),
  ...firstEvent('GatewayWorkerHung', 'gateway_worker_hangs_total'),
  ...firstEvent('GatewayEnvoyRestarted', 'gateway_envoy_restarts_total'),
  ...gauge('GatewayCrashLoop', 'gateway_crash_loops', [1, 0], TARGET),
  {
    alert: 'GatewayFailsClosed',
    when: 'requests keep failing',
    series: [[`gateway_failures_total{${A}}`, '0+1x60']],
    at: '10m',
    fires: [INSTANCE],
  },
  {
    alert: 'GatewayFailsClosed',
    when: 'a request failed once',
    series: [[`gateway_failures_total{${A}}`, FIRST_EVENT]],
    at: '14m',
    fires: [],
  },
  {
    alert: 'GatewayServerErrors',
    when: 'one request in ten ends with 502',
    series: [
      [`${REQUESTS}{${A},status="2xx",type=""}`, '0+90x100'],
      [`${REQUESTS}{${A},status="5xx",type="upstream_unavailable"}`, '0+10x100'],
    ],
    at: '15m',
    fires: [INSTANCE],
  },
  {
    alert: 'GatewayServerErrors',
    when: 'no sidecar answers Envoy',
    series: [
      [`${REQUESTS}{${A},status="2xx",type=""}`, '900x100'],
      [`${REPLIES}{${A},type="gateway_unavailable"}`, '0+10x100'],
    ],
    at: '15m',
    fires: [INSTANCE],
  },
  {
    alert: 'GatewayServerErrors',
    when: 'one request in a hundred ends with 502',
    series: [
      [`${REQUESTS}{${A},status="2xx",type=""}`, '0+99x100'],
      [`${REQUESTS}{${A},status="5xx",type="upstream_unavailable"}`, '0+1x100'],
      [`${REPLIES}{${A},type="gateway_unavailable"}`, '0x100'],
    ],
    at: '15m',
    fires: [],
  },
  ...firstEvent('GatewayAuditRecordsLost', 'gateway_audit_records_total', 'sink="file",outcome="dropped"', {
    ...INSTANCE,
    sink: 'file',
  }),
  ...gauge('GatewayPolicyBroken', 'gateway_policies_broken', [1, 0]),
  {
    alert: 'GatewayPolicyTroubles',
    when: 'policies keep failing',
    series: [[`gateway_policy_troubles_total{${A}}`, '0+1x60']],
    at: '10m',
    fires: [INSTANCE],
  },
  {
    alert: 'GatewayPolicyTroubles',
    when: 'policies failed once',
    series: [[`gateway_policy_troubles_total{${A}}`, FIRST_EVENT]],
    at: '14m',
    fires: [],
  },
  ...firstEvent('GatewayKeyLocked', 'gateway_risk_locks_total', 'trigger="secret_exfiltration"', {
    trigger: 'secret_exfiltration',
  }),
  ...firstEvent(
    'GatewayCircuitOpened',
    'gateway_mcp_circuit_changes_total',
    'server="files",circuit="server",change="opened"',
    { server: 'files' },
  ),
  ...gauge('GatewayApprovalsWait', 'gateway_escalations_pending', [1, 0]),
  ...firstEvent('GatewayCostOverReservation', 'gateway_cost_over_reservation_total'),
  ...firstEvent('GatewayAbsurdUsage', 'gateway_absurd_usages_total', 'provider="openai"', {
    provider: 'openai',
  }),
  {
    alert: 'GatewayBudgetNearlySpent',
    when: 'two gateways say that a key has spent nine tenths of its day',
    series: [
      [`gateway_budget_used_ratio{${A},key="team-a",window="daily"}`, '0.5x4 0.93x60'],
      [
        'gateway_budget_used_ratio{job="gateway",instance="b:9090",key="team-a",window="daily"}',
        '0.5x4 0.92x60',
      ],
    ],
    at: '6m',
    fires: [{ key: 'team-a', window: 'daily' }],
  },
  {
    alert: 'GatewayBudgetNearlySpent',
    when: 'a minute is spent, and a month is not',
    series: [
      [`gateway_budget_used_ratio{${A},key="team-a",window="minute"}`, '1x60'],
      [`gateway_budget_used_ratio{${A},key="team-a",window="monthly"}`, '0.89x60'],
    ],
    at: '6m',
    fires: [],
  },
  {
    alert: 'GatewayTracesLost',
    when: 'spans are lost for ten minutes',
    series: [[`gateway_trace_spans_total{${A},outcome="failed"}`, '0+10x100']],
    at: '15m',
    fires: [INSTANCE],
  },
  {
    alert: 'GatewayTracesLost',
    when: 'spans are dropped for ten minutes',
    series: [[`gateway_trace_spans_total{${A},outcome="dropped"}`, '0+10x100']],
    at: '15m',
    fires: [INSTANCE],
  },
  {
    alert: 'GatewayTracesLost',
    when: 'spans arrive',
    series: [[`gateway_trace_spans_total{${A},outcome="exported"}`, '0+10x100']],
    at: '15m',
    fires: [],
  },
  // promtool's clock begins at 1970.
  {
    alert: 'GatewayCertificateExpires',
    when: 'a certificate has thirteen days left',
    series: [[CERTIFICATE, `${String(13 * DAYS)}x60`]],
    at: '6m',
    fires: [OF_CERTIFICATE],
  },
  {
    alert: 'GatewayCertificateExpires',
    when: 'a certificate has fifteen days left',
    series: [[CERTIFICATE, `${String(15 * DAYS)}x60`]],
    at: '6m',
    fires: [],
  },
  {
    alert: 'GatewayCertificateExpired',
    when: 'a certificate has less than a day left',
    series: [[CERTIFICATE, `${String(DAYS / 2)}x60`]],
    at: '6m',
    fires: [OF_CERTIFICATE],
  },
  {
    alert: 'GatewayCertificateExpired',
    when: 'a certificate has two days left',
    series: [[CERTIFICATE, `${String(2 * DAYS)}x60`]],
    at: '6m',
    fires: [],
  },
  {
    alert: 'GatewayConfigNotInForce',
    when: 'a changed gateway.yaml waits for a restart',
    series: [[NOT_IN_FORCE, '0x4 1x60']],
    at: '21m',
    fires: [{ ...INSTANCE, reason: 'restart' }],
  },
  {
    alert: 'GatewayConfigNotInForce',
    when: 'the gateway was restarted',
    series: [[NOT_IN_FORCE, '0x4 1x10 0x60']],
    at: '21m',
    fires: [],
  },
  {
    alert: 'GatewayCertificateBroken',
    when: 'a renewed certificate cannot be used',
    series: [[BROKEN_CERTIFICATE, '0x4 1x60']],
    at: '6m',
    fires: [OF_CERTIFICATE],
  },
  {
    alert: 'GatewayCertificateBroken',
    when: 'it was replaced again',
    series: [[BROKEN_CERTIFICATE, '0x4 1 0x60']],
    at: '6m',
    fires: [],
  },
  {
    alert: 'GatewayCredentialFailing',
    when: 'the source of a credential is gone',
    series: [[FAILING_CREDENTIAL, '0x4 1x60']],
    at: '12m',
    fires: [OF_CREDENTIAL],
  },
  {
    alert: 'GatewayCredentialFailing',
    when: 'it was back soon',
    series: [[FAILING_CREDENTIAL, '0x4 1x2 0x60']],
    at: '12m',
    fires: [],
  },
  {
    alert: 'GatewayCredentialRefused',
    when: 'a provider refuses a credential for the first time',
    series: [[REFUSED_CREDENTIAL, '0x4 1x60']],
    at: '6m',
    fires: [OF_CREDENTIAL],
  },
  {
    alert: 'GatewayCredentialRefused',
    when: 'no provider does',
    series: [[REFUSED_CREDENTIAL, '0x60']],
    at: '6m',
    fires: [],
  },
  {
    alert: 'GatewayCredentialUnusable',
    when: 'it was gone for max_age',
    series: [[USABLE_CREDENTIAL, '1x4 0x60']],
    at: '8m',
    fires: [OF_CREDENTIAL],
  },
  {
    alert: 'GatewayCredentialUnusable',
    when: 'it can be used',
    series: [[USABLE_CREDENTIAL, '1x60']],
    at: '8m',
    fires: [],
  },
];
