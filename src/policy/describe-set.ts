import type { LoadedPolicies } from './load-policies.ts';
import type { RuleMode } from './rule-modes.ts';
import { POLICY_PACKAGE } from './rego/rego-set.ts';
import { defaultActionOf, type DefaultAction } from './verdict.ts';

/** Describes the loaded policies for a person. */
export interface SetDescription {
  readonly digest: string;
  readonly files: readonly {
    readonly file: string;
    readonly kind: 'card' | 'rego' | 'preset';
    readonly rules: readonly string[];
    /** It defines session states and transitions. */
    readonly has_states: boolean;
  }[];
  /** Card rules in mode `report` or `off`, by `policy.overrides`. */
  readonly overrides: readonly { readonly file: string; readonly rule: string; readonly mode: RuleMode }[];
  readonly default_action: { readonly action: DefaultAction; readonly why: string };
  /** Some source can allow a call. */
  readonly can_allow: boolean;
  readonly reads_prompt: boolean;
  readonly reads_drift: boolean;
  readonly initial_state: string;
  /** Loaded parts that have no effect or another one than they seem to. */
  readonly warnings: readonly string[];
}

/** Rules of these names are evaluated in `gateway.policy` only. */
const EVALUATED: ReadonlySet<string> = new Set(['allow', 'deny', 'escalate', 'quarantine', 'taint']);

export function describeSet(loaded: LoadedPolicies, written: DefaultAction | undefined): SetDescription {
  const { files, cards, rego, set } = loaded;
  const presets = new Set(files.cards.filter(({ isPreset }) => isPreset).map(({ name }) => name));
  const ofCards = cards.rules.map(({ file, names, hasStates }) => ({
    file,
    kind: presets.has(file) ? ('preset' as const) : ('card' as const),
    rules: names,
    has_states: hasStates,
  }));
  const ofRego = files.rego.map(({ name }) => ({
    file: name,
    kind: 'rego' as const,
    rules: regoRules(loaded, name),
    has_states: false,
  }));
  return {
    digest: set.digest,
    files: [...ofCards, ...ofRego],
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
  if (written !== undefined) return 'policy.default_action is written';
  return canAllow
    ? 'some rule allows, so calls that no rule allows are denied'
    : 'no rule allows, so calls that no rule denies pass';
}

/** Helper rules of other packages have the package's name. */
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
      `${file}:${String(row)}: ${name} stands in package ${where}, and is asked for in ${POLICY_PACKAGE} only`,
    );
  }
  const seen = new Set<string>();
  for (const { name } of files.cards) {
    if (seen.has(name)) warnings.push(`${name}: is loaded twice (policy_file lies in policy_dir)`);
    seen.add(name);
  }
  for (const { file, names, hasStates } of cards.rules) {
    if (names.length === 0 && !hasStates) warnings.push(`${file}: has neither rules nor an fsm`);
  }
  return [...new Set(warnings)];
}

function isTest(name: string): boolean {
  return name.endsWith('_test');
}
