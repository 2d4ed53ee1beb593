import type { SetDescription } from '../src/policy/describe-set.ts';
import type { Explanation, RuleExplanation } from '../src/policy/explain-call.ts';
import type { TestResult } from '../src/policy/testing/test-result.ts';
import { listing, printable, printableJson, type Paint } from './output.ts';

export function describedText(set: SetDescription, paint: Paint): string {
  const files = set.files.map((file) => {
    const named = file.rules.map((rule) => ruleWithMode(set, file.file, rule));
    const names = named.length === 0 ? '' : ` (${named.join(', ')})`;
    return `${paint('green', '✓')} ${printable(`${describedFile(file)}${names}`)}`;
  });
  const facts: [string, string][] = [
    ['digest', set.digest],
    ['default action', `${set.default_action.action}: ${set.default_action.why}`],
    ['has allow rules', yesOrNo(set.can_allow)],
    ['reads the prompt', yesOrNo(set.reads_prompt)],
    ['uses drift scores', yesOrNo(set.reads_drift)],
    ['initial state', set.initial_state],
  ];
  const warnings = set.warnings.map((warning) => `${paint('yellow', '!')} ${printable(warning)}`);
  return [...files, '', listing(facts, paint), ...(warnings.length === 0 ? [] : ['', ...warnings])].join(
    '\n',
  );
}

function ruleWithMode({ overrides }: SetDescription, file: string, rule: string): string {
  const mode = overrides.find((override) => override.file === file && override.rule === rule)?.mode;
  return mode === undefined ? rule : `${rule}: ${mode}`;
}

export function describedFile({ file, kind, rules, has_states }: SetDescription['files'][number]): string {
  const count = `${String(rules.length)} ${rules.length === 1 ? 'rule' : 'rules'}`;
  return `${kind === 'preset' ? file : `${kind} ${file}`}: ${count}${has_states ? ', states' : ''}`;
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

export function explainedText(explanation: Explanation, paint: Paint): string {
  const verdict = explanation.verdict === 'none' ? 'no rule decided' : explanation.verdict;
  const outcome = explanation.passes ? paint('green', 'passes') : paint('red', 'refused');
  const fired = explanation.rules.filter((rule) => rule.fired);
  const others = explanation.rules.filter((rule) => !rule.fired);
  return [
    `${printable(explanation.call)}: ${outcome} (${verdict})`,
    ...explanation.reasons.map((reason) => `  ${printable(reason)}`),
    '',
    listing(explanationRows(explanation), paint),
    ...rulesSection('Rules that fired', fired, paint),
    ...rulesSection('Applicable rules that did not fire', others, paint),
    ...(explanation.rules_for_other_calls === 0
      ? []
      : ['', forOtherCalls(explanation.rules_for_other_calls)]),
    ...regoLines(explanation.rego, paint),
  ].join('\n');
}

function explanationRows({
  default_action: { action, why },
  state,
  next_state,
  taints,
}: Explanation): [string, string][] {
  return [
    ['default action', `${action}: ${why}`],
    ['state', next_state === null ? state : `${state}, then ${next_state}`],
    ...(taints.length === 0 ? [] : [['taints', taints.join(', ')] as [string, string]]),
  ];
}

function rulesSection(title: string, rules: readonly RuleExplanation[], paint: Paint): string[] {
  if (rules.length === 0) return [];
  return ['', paint('bold', title), ...rules.flatMap((rule) => ruleLines(rule, paint))];
}

function ruleLines(
  { rule, file, line, action, mode, fired, reason, conditions, found }: RuleExplanation,
  paint: Paint,
): string[] {
  return [
    `  ${printable(`${action} ${rule}${mode === 'enforce' ? '' : ` (${mode})`}`)}  ${paint('dim', printable(`${file}:${String(line)}`))}`,
    ...conditions.map(
      ({ condition, holds }) => `    ${truth(holds, paint)} ${printable(printableJson(condition))}`,
    ),
    ...(conditions.length === 0 && mode !== 'off'
      ? [`    ${paint('dim', 'no conditions: fires for every call of this kind')}`]
      : []),
    ...found.map((finding) => `      ${foundLine(finding, paint)}`),
    ...(fired ? [`    ${printable(reason)}`] : []),
  ];
}

function foundLine(found: RuleExplanation['found'][number], paint: Paint): string {
  const { before, words, after, detector = '', finding = '', place = '', role = '' } = found;
  const by = [detector, finding, place, role].filter((part) => part !== '').join(', ');
  return `…${printable(before)}${paint('red', `[${printable(words)}]`)}${printable(after)}…  ${paint('dim', printable(by))}`;
}

function truth(holds: boolean | null, paint: Paint): string {
  if (holds === null) return paint('yellow', '? unknown:');
  return holds ? paint('green', '✓ met:') : paint('dim', '✗ not met:');
}

function regoLines(rego: Explanation['rego'], paint: Paint): string[] {
  if (rego === null) return [];
  const lines = Object.entries(rego).flatMap(([rule, reasons]) =>
    reasons.map((reason) => `  ${rule}${rule === 'allow' ? '' : `: ${printable(reason)}`}`),
  );
  return ['', paint('bold', 'Rego (gateway.policy)'), ...(lines.length === 0 ? ['  no results'] : lines)];
}

const LABELS = { pass: 'PASS', fail: 'FAIL', error: 'ERROR', skip: 'SKIP' } as const;

export function testedText(results: readonly TestResult[], paint: Paint): string {
  const lines = results.flatMap(({ name, file, line, outcome, detail }) => [
    `${label(outcome, paint)} ${printable(`${file}:${String(line)}: ${name}`)}`,
    ...(detail === undefined ? [] : detail.split('\n').map((line) => `      ${printable(line)}`)),
  ]);
  const counts = countsOf(results);
  const tests = counts.total === 1 ? '1 test' : `${counts.total} tests`;
  const total = `${tests}: ${counts.passed} passed, ${counts.failed} failed, ${counts.errors} errored, ${counts.skipped} skipped`;
  return [...lines, ...(lines.length === 0 ? [] : ['']), total].join('\n');
}

function label(outcome: TestResult['outcome'], paint: Paint): string {
  const colour = { pass: 'green', fail: 'red', error: 'red', skip: 'yellow' } as const;
  return paint(colour[outcome], LABELS[outcome].padEnd('ERROR'.length));
}

export function countsOf(results: readonly TestResult[]) {
  const count = (outcome: TestResult['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  return {
    total: results.length,
    passed: count('pass'),
    failed: count('fail'),
    errors: count('error'),
    skipped: count('skip'),
  };
}

function forOtherCalls(count: number): string {
  return count === 1 ? '1 rule applies to other calls.' : `${String(count)} rules apply to other calls.`;
}
