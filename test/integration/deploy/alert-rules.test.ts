import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { runFile } from '../../../src/runtime/program.ts';
import { findPrometheus } from '../../support/prometheus.ts';
import { RULE_CASES, type RuleCase } from './rule-cases.ts';

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const RULES_FILE = fileURLToPath(new URL('../../../deploy/prometheus/alerts.yaml', import.meta.url));
const rules = (parse(readFileSync(RULES_FILE, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

/** The case as a test of `promtool test rules`, which compares labels and annotations exactly. */
function promtoolTest({ alert, when, series, at, fires }: RuleCase): object {
  const rule = rules.find((one) => one.alert === alert);
  if (rule === undefined) throw new Error(`deploy/prometheus/alerts.yaml has no rule ${alert}`);
  const { labels, annotations } = rule;
  const alerts = fires.map((own) => ({
    exp_labels: { ...own, ...labels },
    exp_annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, text]) => [
        name,
        text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => own[label] ?? ''),
      ]),
    ),
  }));
  return {
    name: `${alert} ${when}`,
    interval: '15s',
    input_series: series.map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: alerts }],
  };
}

describe('deploy/prometheus/alerts.yaml', () => {
  let directory = '';
  let promtool = '';
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'gw-test-rules-'));
    ({ promtool } = await findPrometheus());
  }, 300_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  async function testRules(cases: readonly RuleCase[]): Promise<string> {
    const file = join(directory, 'alerts_test.yaml');
    const tests = cases.map(promtoolTest);
    writeFileSync(file, stringify({ rule_files: [RULES_FILE], evaluation_interval: '15s', tests }));
    const { ok, stdout, stderr } = await runFile(promtool, ['test', 'rules', file], { timeoutMs: 120_000 });
    return ok ? 'passed' : `${stdout}\n${stderr}`;
  }

  it('has a case in which each rule fires, and one in which it is quiet', () => {
    const alertsOf = (fire: boolean): readonly string[] =>
      RULE_CASES.filter(({ fires }) => fires.length > 0 === fire).map(({ alert }) => alert);
    for (const { alert } of rules) {
      expect(alertsOf(true), `no case in which ${alert} fires`).toContain(alert);
      expect(alertsOf(false), `no case in which ${alert} is quiet`).toContain(alert);
    }
  });

  it('is valid, and promtool confirms every case', async () => {
    const check = await runFile(promtool, ['check', 'rules', RULES_FILE], { timeoutMs: 60_000 });
    expect([check.ok, check.stderr]).toEqual([true, '']);
    expect(await testRules(RULE_CASES)).toBe('passed');
  }, 200_000);

  it('would fail for a series that starts with its first event', async () => {
    const [first] = RULE_CASES.filter(({ alert }) => alert === 'GatewayKeyLocked');
    if (first === undefined) throw new Error('no case of GatewayKeyLocked');
    const series = first.series.map(([name]) => [name, '_x20 1x80'] as const);
    expect(await testRules([{ ...first, series }])).toContain('GatewayKeyLocked');
  });
});

it('a missing Prometheus is one sentence with the remedy', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'gw-test-cache-'));
  await expect(findPrometheus({ PATH: '/nowhere', XDG_CACHE_HOME: cache })).rejects.toThrow(
    'Prometheus is missing; put prometheus and promtool on PATH (Debian: apt-get install prometheus)',
  );
  rmSync(cache, { recursive: true });
});
