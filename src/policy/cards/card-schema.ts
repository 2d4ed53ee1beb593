import * as z from 'zod';
import { MCP_CALL_TYPES } from '../../mcp/methods.ts';
import { readYaml, type ReadYaml } from '../read-yaml.ts';

const MAX_RULES = 1_000;
const MAX_CONDITIONS = 100;
const MAX_TRANSITIONS = 1_000;
const MAX_NAME = 128;
const MAX_TEXT = 1_024;
const MAX_VALUE = 4_096;
const MAX_LIST = 1_000;

export const CALL_TYPES = ['llm_call', ...MCP_CALL_TYPES] as const;
export const STEP_TYPES = ['llm_call', 'llm_response', ...MCP_CALL_TYPES, 'mcp_tool_response'] as const;
export const ANY_MCP = 'mcp_*';
export const ACTIONS = ['allow', 'deny', 'quarantine', 'escalate', 'mask', 'taint'] as const;
export const OPERATORS = [
  'equals',
  'not_equals',
  'in',
  'contains',
  'matches_regex',
  'detects',
  'gt',
  'gte',
  'lt',
  'lte',
  'exists',
  'must_precede',
  'contains_matching_trace',
] as const;
export type Operator = (typeof OPERATORS)[number];

const name = z.string().min(1).max(MAX_NAME);
const pattern = z.string().min(1).max(MAX_VALUE);
const scalar = z.union([z.string().max(MAX_VALUE), z.number(), z.boolean()]);
const globs = z
  .union([name, z.array(name).min(1).max(MAX_LIST)])
  .describe('a name, or names; * stands for any characters');

const callType = z.enum([...CALL_TYPES, ANY_MCP]);
const callTypes = z.union([callType, z.array(callType).min(1)]);

const traceMatch = z.strictObject({
  type: z.enum(STEP_TYPES).optional(),
  tool: globs.optional(),
  provider: globs.optional(),
  content_regex: pattern.optional(),
});

const comparison = z.strictObject({
  field: z.string().min(1).max(MAX_TEXT),
  op: z.enum(OPERATORS),
  value: z.union([scalar, z.array(scalar).max(MAX_LIST), traceMatch]).optional(),
  ignore_case: z
    .boolean()
    .optional()
    .describe(
      'for contains: match any letter case and obfuscation; default: true in restricting rules, false in allowing rules; the opposite under not',
    ),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('with detects: injection_learned, the minimum score; default 0.9'),
});

export type Comparison = z.output<typeof comparison>;
export type TraceMatch = z.output<typeof traceMatch>;
export type Condition =
  | Comparison
  | { readonly any: readonly Condition[] }
  | { readonly all: readonly Condition[] }
  | { readonly not: Condition | readonly Condition[] };

const condition: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    comparison,
    z.strictObject({ any: conditions.min(1) }),
    z.strictObject({ all: conditions.min(1) }),
    z.strictObject({ not: z.union([condition, conditions.min(1)]) }),
  ]),
);
const conditions = z.array(condition).max(MAX_CONDITIONS);

const trust = z
  .strictObject({ system: z.boolean().optional(), developer: z.boolean().optional() })
  .optional()
  .describe(
    'roles whose instructions are skipped by injection rules; default: as set for the key, or by policy.trust',
  );

const rule = z
  .strictObject({
    name,
    description: z.string().max(MAX_TEXT).optional(),
    match: z
      .strictObject({
        type: callTypes.optional(),
        tool: globs.optional(),
        server: globs.optional(),
        model: globs.optional(),
        provider: globs.optional(),
      })
      .prefault({}),
    conditions: conditions.prefault([]).describe('all must be true'),
    action: z.enum(ACTIONS),
    trust,
    taint: name.optional().describe('flag that the session gets; only with action: taint'),
    score: z
      .boolean()
      .default(true)
      .describe("false: the key's risk score does not change if the rule denies, escalates or taints"),
    reason: z
      .string()
      .min(1)
      .max(MAX_TEXT)
      .optional()
      .describe(
        'shown to the client; {tool_name}, {resource_uri}, {prompt_name}, {model}, {rule}, {match} and {score} are replaced',
      ),
  })
  .refine((one) => (one.action === 'taint') === (one.taint !== undefined), {
    path: ['taint'],
    message: 'must be set in rules with action: taint, and only there',
  })
  .refine((one) => one.score || !['quarantine', 'mask', 'allow'].includes(one.action), {
    path: ['score'],
    message:
      'false is only for rules that deny, escalate or taint: a quarantine always scores, other actions never do',
  });

const trigger = z.union([
  name,
  z.strictObject({
    type: callTypes.optional(),
    tool: globs.optional(),
    matches: pattern.optional(),
    taint: name.optional(),
  }),
]);

const fsm = z.strictObject({
  initial_state: name.default('INIT'),
  transitions: z
    .array(z.strictObject({ from: name, to: name, trigger }))
    .min(1)
    .max(MAX_TRANSITIONS),
});

export const cardSchema = z.strictObject({
  metadata: z.strictObject({
    name,
    version: z.union([z.string().max(MAX_NAME), z.number()]).optional(),
    description: z.string().max(MAX_TEXT).optional(),
  }),
  lists: z
    .record(name, z.array(name).max(MAX_LIST))
    .optional()
    .describe('lists that rules share through YAML anchors'),
  fsm: fsm.optional(),
  trust,
  rules: z.array(rule).max(MAX_RULES).prefault([]),
});

export type Card = z.output<typeof cardSchema>;
export type CardRule = Card['rules'][number];
export type CardFsm = NonNullable<Card['fsm']>;
export type Trigger = CardFsm['transitions'][number]['trigger'];

export function cardJsonSchema(): object {
  return z.toJSONSchema(cardSchema, { io: 'input', target: 'draft-2020-12' });
}

export function typesNamed(written: z.output<typeof callTypes>): ReadonlySet<(typeof CALL_TYPES)[number]> {
  return new Set([written].flat().flatMap((type) => (type === ANY_MCP ? MCP_CALL_TYPES : ([type] as const))));
}

export type ReadCard = Omit<ReadYaml<Card>, 'value'> & { readonly card: Card };

/** Parses a card's YAML. Returns all problems if the card is invalid; never throws. */
export function readCard(name: string, text: string): ReadCard | readonly string[] {
  const read = readYaml(name, text, { schema: cardSchema, kind: 'a card' });
  if (!('value' in read)) return read;
  const { value: card, ...places } = read;
  return { card, ...places };
}
