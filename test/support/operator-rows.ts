import { stringify } from 'yaml';
import { ACTIONS, OPERATORS } from '../../src/policy/cards/card-schema.ts';
import type { NewKey } from '../../src/auth/key-fields.ts';
import type { ToolArguments } from './policy-clients.ts';
import type { CallKind } from './preset-rows.ts';

export const CONDITIONS = [...OPERATORS, 'any', 'all', 'not'] as const;
export type ConditionKind = (typeof CONDITIONS)[number];

/** A call, and its key and session. */
export interface OperatorCase {
  readonly prompt?: string;
  readonly arguments?: ToolArguments;
  readonly key?: Partial<NewKey>;
  /** Earlier calls of the session, in order. */
  readonly before?: readonly Step[];
}

/** Sends a prompt that no rule matches, or calls such a tool. */
export type Step = { readonly says: string } | { readonly calls: 't_review' | 't_tell' };

/** One kind of condition in a rule that denies, on one kind of call. */
export interface OperatorRow {
  readonly kind: ConditionKind;
  readonly on: CallKind;
  readonly conditions: readonly object[];
  readonly fires: OperatorCase;
  readonly passes: OperatorCase;
}

const team = (name: string): OperatorCase => ({ key: { tags: { team: name } } });
const says = (prompt: string): OperatorCase => ({ prompt });
const given = (args: ToolArguments): OperatorCase => ({ arguments: args });
/** A session with this many earlier calls. */
const after = (steps: number): OperatorCase => ({
  before: Array.from({ length: steps }, () => ({ says: 'hello' })),
});
const reviewed: OperatorCase = { before: [{ calls: 't_review' }] };
const text = (op: ConditionKind, value: string) => ({ field: 'prompt_text', op, value });

function model(
  kind: ConditionKind,
  condition: object,
  fires: OperatorCase,
  passes: OperatorCase,
): OperatorRow {
  return { kind, on: 'llm_call', conditions: [condition], fires, passes };
}

function tool(
  kind: ConditionKind,
  condition: object,
  fires: OperatorCase,
  passes: OperatorCase,
): OperatorRow {
  return { kind, on: 'mcp_tool_call', conditions: [condition], fires, passes };
}

const argument = (name: string, op: ConditionKind, value: unknown) => ({
  field: `arguments.${name}`,
  op,
  value,
});
/** The judged call is a step too. */
const steps = (op: ConditionKind, value: number) => ({ field: 'session.steps', op, value });
const tag = (op: ConditionKind, value: unknown) => ({ field: 'agent.tags.team', op, value });
const history = (op: ConditionKind, value: unknown) => ({ field: 'session_sequence', op, value });

/** Every operator, alone and combined, on each kind of call. */
export const OPERATOR_ROWS: readonly OperatorRow[] = [
  model('equals', tag('equals', 'ops'), team('ops'), team('research')),
  tool('equals', argument('mode', 'equals', 'live'), given({ mode: 'live' }), given({ mode: 'alive' })),
  model('not_equals', tag('not_equals', 'ops'), team('research'), team('ops')),
  tool(
    'not_equals',
    argument('mode', 'not_equals', 'safe'),
    given({ mode: 'unsafe' }),
    given({ mode: 'safe' }),
  ),
  model('in', tag('in', ['ops', 'sre']), team('sre'), team('research')),
  tool('in', argument('port', 'in', [22, 23]), given({ port: 23 }), given({ port: 443 })),
  model('contains', text('contains', 'xylophone'), says('play the xylophone'), says('play the flute')),
  tool(
    'contains',
    argument('text', 'contains', 'rm -rf'),
    given({ text: 'rm -rf x' }),
    given({ text: 'rm x' }),
  ),
  model(
    'matches_regex',
    text('matches_regex', '(?i)\\bdrop\\s+table\\b'),
    says('DROP  TABLE t'),
    says('drop the table'),
  ),
  tool(
    'matches_regex',
    argument('sql', 'matches_regex', '(?i)^delete\\b'),
    given({ sql: 'DELETE x' }),
    given({ sql: 'undelete x' }),
  ),
  model('detects', text('detects', 'email'), says('write to ann.smith@corp-mail.com'), says('write to @ann')),
  tool(
    'detects',
    argument('text', 'detects', 'ssn'),
    given({ text: 'her SSN is 536-22-8412' }),
    given({ text: 'part 536-22-84120' }),
  ),
  model('gt', steps('gt', 2), after(2), after(1)),
  tool('gt', argument('count', 'gt', 10), given({ count: 11 }), given({ count: 10 })),
  model('gte', steps('gte', 3), after(2), after(1)),
  tool('gte', argument('count', 'gte', 10), given({ count: 10 }), given({ count: 9 })),
  model('lt', steps('lt', 2), after(0), after(1)),
  tool('lt', argument('count', 'lt', 10), given({ count: 9 }), given({ count: 10 })),
  model('lte', steps('lte', 2), after(1), after(2)),
  tool('lte', argument('count', 'lte', 10), given({ count: 10 }), given({ count: 11 })),
  model(
    'exists',
    { field: 'agent.tags.contractor', op: 'exists' },
    { key: { tags: { contractor: 'x' } } },
    {},
  ),
  tool('exists', argument('force', 'exists', true), given({ force: false }), given({})),
  model('must_precede', history('must_precede', 't_review'), after(1), reviewed),
  tool('must_precede', history('must_precede', 't_review'), after(1), reviewed),
  model(
    'contains_matching_trace',
    history('contains_matching_trace', { type: 'mcp_tool_response', content_regex: 'top secret' }),
    { before: [{ calls: 't_tell' }] },
    reviewed,
  ),
  tool(
    'contains_matching_trace',
    history('contains_matching_trace', { type: 'llm_call', content_regex: 'the attack' }),
    { before: [{ says: 'plan the attack' }] },
    { before: [{ says: 'plan the journey' }] },
  ),
  model(
    'any',
    { any: [text('contains', 'cats'), text('contains', 'dogs')] },
    says('two dogs'),
    says('two cows'),
  ),
  tool(
    'any',
    { any: [argument('a', 'equals', 1), argument('b', 'equals', 1)] },
    given({ a: 0, b: 1 }),
    given({ a: 0, b: 0 }),
  ),
  model(
    'all',
    { all: [text('contains', 'cats'), text('contains', 'dogs')] },
    says('cats and dogs'),
    says('two dogs'),
  ),
  tool(
    'all',
    { all: [argument('a', 'equals', 1), argument('b', 'equals', 1)] },
    given({ a: 1, b: 1 }),
    given({ a: 0, b: 1 }),
  ),
  model('not', { not: text('contains', 'please') }, says('do it'), says('please do it')),
  tool('not', { not: argument('a', 'equals', 1) }, given({ a: 0 }), given({ a: 1 })),
];

export const modelOf = (name: string): string => `m-${name}`;
export const toolOf = (name: string): string => `t_${name}`;
export const reasonOf = ({ kind, on }: OperatorRow): string => `${kind} holds for ${on}`;

/** Rules with each other action, each with its own model and tool. */
const ACTION_RULES = (['llm_call', 'mcp_tool_call'] as const).flatMap((type) => {
  const match = (name: string) =>
    type === 'llm_call' ? { type, model: modelOf(name) } : { type, tool: toolOf(name) };
  return [
    { name: `quarantine ${type}`, match: match('quarantine'), action: 'quarantine', reason: 'it is locked' },
    { name: `escalate ${type}`, match: match('escalate'), action: 'escalate', reason: 'ask somebody' },
    { name: `mask ${type}`, match: match('mask*'), conditions: [text('contains', 'Falcon')], action: 'mask' },
    { name: `taint ${type}`, match: match('taint'), action: 'taint', taint: 'was_here' },
    {
      name: `after a taint ${type}`,
      match: match('tainted'),
      conditions: [{ field: 'session.taint_flags.was_here', op: 'equals', value: true }],
      action: 'deny',
      reason: 'the session is tainted',
    },
    {
      name: `allow ${type}`,
      match: type === 'llm_call' ? { type, model: modelOf('*') } : { type, tool: toolOf('*') },
      action: 'allow',
    },
  ];
});

/** One card with all of them. */
export const OPERATOR_CARD = stringify({
  metadata: { name: 'operators' },
  rules: [
    ...OPERATOR_ROWS.map((row) => ({
      name: `${row.kind} ${row.on}`,
      match:
        row.on === 'llm_call'
          ? { type: row.on, model: modelOf(row.kind) }
          : { type: row.on, tool: toolOf(row.kind) },
      conditions: row.conditions,
      action: 'deny',
      reason: reasonOf(row),
    })),
    ...ACTION_RULES,
  ],
});

/** The names of the rules' tools: none of them does anything. */
export const OPERATOR_TOOLS = [...CONDITIONS, ...ACTIONS, 'tainted', 'review', 'plain'].map(toolOf);
