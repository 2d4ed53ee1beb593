import { loadPolicies, type LoadedPolicies } from './load-policies.ts';
import { readPolicyFiles, type PolicySources } from './policy-files.ts';
import type { RuleMode } from './rule-modes.ts';
import { POLICY_PACKAGE, POLICY_RULES } from './rego/engine-thread.ts';
import { defaultActionOf, type DefaultAction } from './decision.ts';

export interface SetDescription {
  readonly digest: string;
  readonly files: readonly {
    readonly file: string;
    readonly kind: 'card' | 'rego' | 'preset';
    readonly rules: readonly string[];
    readonly has_states: boolean;
  }[];
  /** Card rules that `policy.overrides` sets to `report` or `off`. */
  readonly overrides: readonly { readonly file: string; readonly rule: string; readonly mode: RuleMode }[];
  readonly default_action: { readonly action: DefaultAction; readonly why: string };
  readonly can_allow: boolean;
  readonly reads_prompt: boolean;
  readonly reads_drift: boolean;
  readonly initial_state: string;
  /** Loaded parts without effect, or with an unexpected effect. */
  readonly warnings: readonly string[];
}

/** Rules with these names take effect only in `gateway.policy`. */
const EVALUATED: ReadonlySet<string> = new Set(POLICY_RULES);

export function describeSet(loaded: LoadedPolicies, written: DefaultAction | undefined): SetDescription {
  const { files, cards, rego, set } = loaded;
  const presets = new Set(files.cards.filter(({ isPreset }) => isPreset).map(({ name }) => name));
  const cardFiles = cards.rules.map(({ file, names, hasStates }) => ({
    file,
    kind: presets.has(file) ? ('preset' as const) : ('card' as const),
    rules: names,
    has_states: hasStates,
  }));
  const regoFiles = files.rego.map(({ name }) => ({
    file: name,
    kind: 'rego' as const,
    rules: regoRules(loaded, name),
    has_states: false,
  }));
  return {
    digest: set.digest,
    files: [...cardFiles, ...regoFiles],
    overrides: cards.overridden,
    default_action: {
      action: defaultActionOf(written, set.canAllow),
      why: whyDefault(written, set.canAllow),
    },
    can_allow: set.canAllow,
    reads_prompt: cards.readsPrompt || rego?.readsPrompt === true,
    reads_drift: set.readsDrift,
    initial_state: set.initialState,
    warnings: warningsOf(loaded, written),
  };
}

export function whyDefault(written: DefaultAction | undefined, canAllow: boolean): string {
  if (written !== undefined) return 'policy.default_action is set';
  return canAllow
    ? 'there is an allow rule, so calls that no rule allows are denied'
    : 'there is no allow rule, so calls that no rule denies pass';
}

function regoRules({ rego }: LoadedPolicies, file: string): string[] {
  const rules = (rego?.facts.rules ?? []).filter((rule) => rule.file === file);
  return [
    ...new Set(
      rules.map((rule) => (rule.package === POLICY_PACKAGE ? rule.name : `${rule.package}.${rule.name}`)),
    ),
  ];
}

function warningsOf(
  { files, cards, rego, set }: LoadedPolicies,
  written: DefaultAction | undefined,
): string[] {
  const warnings: string[] = [];
  if (written === 'deny' && !set.canAllow) {
    warnings.push('policy.default_action is deny and no rule allows: every call is denied');
  }
  for (const { name, package: where, file, row } of rego?.facts.rules ?? []) {
    if (where === POLICY_PACKAGE || !EVALUATED.has(name) || isTest(where)) continue;
    warnings.push(
      `${file}:${String(row)}: ${name} is in package ${where}, but only ${POLICY_PACKAGE} is evaluated`,
    );
  }
  const seen = new Set<string>();
  for (const { name } of files.cards) {
    if (seen.has(name)) warnings.push(`${name} is loaded twice (policy_file is in policy_dir)`);
    seen.add(name);
  }
  for (const { file, names, hasStates } of cards.rules) {
    if (names.length === 0 && !hasStates) warnings.push(`${file} has neither rules nor an fsm`);
  }
  return [...new Set(warnings)];
}

function isTest(name: string): boolean {
  return name.endsWith('_test');
}

/** The policies that would apply if the gateway were started now. */
export interface PoliciesDescription extends SetDescription {
  /** Memory growth of this process from loading the policies, mainly the Rego engine; undefined without Rego. */
  readonly engineBytes: number | undefined;
}

/** @throws PolicyFilesError */
export async function describePolicies(
  sources: PolicySources,
  written: DefaultAction | undefined,
): Promise<PoliciesDescription> {
  const files = await readPolicyFiles(sources);
  const before = process.memoryUsage.rss();
  const loaded = await loadPolicies(files);
  const grown = process.memoryUsage.rss() - before;
  await loaded.set.close();
  return {
    ...describeSet(loaded, written),
    engineBytes: loaded.rego === undefined ? undefined : grown,
  };
}
