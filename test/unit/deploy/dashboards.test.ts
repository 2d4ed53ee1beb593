import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exportedMetrics } from '../../../build-docs.ts';

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
}
interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

const read = (name: string): string =>
  readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');
const dashboard = JSON.parse(read('grafana/gateway.json')) as Dashboard;
const rules = (parse(read('prometheus/alerts.yaml')) as Rules).groups.flatMap((group) => group.rules);
const charts = dashboard.panels.filter(({ type }) => type !== 'row');

/** Names in `/metrics`, with the labels of each. */
async function exported(): Promise<ReadonlyMap<string, readonly string[]>> {
  return new Map((await exportedMetrics()).map(({ name, labels }) => [name, labels]));
}

const METRIC = /\b((?:gateway|gen_ai)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;
/** Every series has the first from its scrape; the second is a histogram's. */
const OF_EVERYBODY = ['instance', 'le'];

function problemsOf(expression: string, known: ReadonlyMap<string, readonly string[]>): string[] {
  const labels = new Set(OF_EVERYBODY);
  const problems: string[] = [];
  const used: string[] = [];
  for (const [, name = '', selector = ''] of expression.matchAll(METRIC)) {
    const own = known.get(name) ?? known.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (own === undefined) problems.push(`no metric ${name}`);
    for (const label of own ?? []) labels.add(label);
    for (const [, label = ''] of selector.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)) {
      if (![...OF_EVERYBODY, ...(own ?? [])].includes(label)) problems.push(`${name} has no label ${label}`);
    }
  }
  for (const [, list = ''] of expression.matchAll(/\bby \(([^)]*)\)/g)) used.push(...list.split(/,\s*/));
  for (const label of used) if (!labels.has(label)) problems.push(`no label ${label} in ${expression}`);
  return problems;
}

describe('deploy/', () => {
  it('has a dashboard whose every chart queries existing metrics and labels', async () => {
    const known = await exported();
    expect(charts.length).toBeGreaterThan(10);
    for (const { title, targets = [] } of charts) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr } of targets) {
        expect(expr.match(METRIC), title).not.toBeNull();
        expect(problemsOf(expr, known), title).toEqual([]);
      }
    }
  });

  it('has alert rules that do, each with a severity and a sentence', async () => {
    const known = await exported();
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, expr, labels, annotations } of rules) {
      expect(problemsOf(expr, known), alert).toEqual([]);
      expect(['info', 'warning', 'critical']).toContain(labels['severity']);
      expect(annotations['summary'], alert).toMatch(/\w/);
      for (const text of Object.values(annotations)) {
        for (const [, label = ''] of text.matchAll(/\$labels\.(\w+)/g)) {
          expect(
            expr.includes(`by (${label}`) || expr.includes(`, ${label})`) || label === 'instance',
            alert,
          ).toBe(true);
        }
      }
    }
  });

  it('is judged by a check that sees a name which is not there', async () => {
    const known = await exported();
    expect(problemsOf('sum by (nobody) (rate(gateway_requests_total{colour="red"}[5m]))', known)).toEqual([
      'gateway_requests_total has no label colour',
      expect.stringContaining('no label nobody') as string,
    ]);
    expect(problemsOf('gateway_nothing', known)).toEqual(['no metric gateway_nothing']);
  });

  it('queries no metric for an unbounded label', async () => {
    // Switched on by `metrics`, which bounds them.
    const bounded = [
      'gateway_budget_used_ratio',
      'gateway_model_spend_usd_total',
      'gateway_owner_spend_usd_total',
    ];
    for (const [name, labels] of await exported()) {
      if (bounded.includes(name)) continue;
      for (const label of labels)
        expect(['key', 'key_hash', 'model', 'owner', 'path', 'session', 'tool'], name).not.toContain(label);
    }
  });
});
