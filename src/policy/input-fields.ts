import * as z from 'zod';
import { MCP_CALL_TYPES } from '../mcp/methods.ts';

/**
 * A member of a policy's `input`. The rows define types, card fields, Rego members and the table in docs/policies.md.
 */
export interface FieldRow<Type extends z.ZodType = z.ZodType> {
  /** JSON type. Missing members are empty, as in a call without a session. */
  readonly type: Type;
  /** A `map` has members of any name; a `document` is any JSON. */
  readonly form: 'value' | 'list' | 'map' | 'document';
  readonly means: string;
  /** Set if cards select calls by this member without a condition. */
  readonly notInCards?: true;
}

type Rows = Readonly<Record<string, FieldRow>>;

function row<Type extends z.ZodType>(
  form: FieldRow['form'],
  type: Type,
  means: string,
  more: Pick<FieldRow, 'notInCards'> = {},
): FieldRow<Type> {
  return { type, form, means, ...more };
}

const empty = z.string().default('');
const amountOf = z.number().min(0).default(0);
const similarityOf = z.number().default(0);

const text = (means: string) => row('value', empty, means);
const amount = (means: string) => row('value', amountOf, means);
const similarity = (means: string) => row('value', similarityOf, means);
const flag = (means: string) => row('value', z.boolean().default(false), means);
/** Derived from other parts of the call if missing. */
const derivedText = (means: string) => row('value', z.string().exactOptional(), means);
const derivedFlag = (means: string) => row('value', z.boolean().exactOptional(), means);
const names = (means: string) => row('list', z.array(z.string()).readonly().default([]), means);

/** Excludes `__proto__`, because zod drops it from records and rules would not see it. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__');

const tags = z
  .unknown()
  .refine(isPlain, { error: 'must be a map of names to values, without the name __proto__' })
  .pipe(z.record(z.string(), z.string()))
  .prefault({});

/** Any name may be a flag, including `__proto__`. */
const isFlagMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.values(value).every((item) => item === true);

const taintFlags = z
  .union([z.array(z.string()), z.custom<object>(isFlagMap)], {
    error: 'must be a list of names, or a map of names to true',
  })
  .transform((flags) => (Array.isArray(flags) ? flags : Object.keys(flags)))
  .transform((flags): Readonly<Record<string, true>> =>
    Object.fromEntries(flags.map((name) => [name, true as const])),
  )
  .prefault([]);

/** Missing members are empty, so that rules about them can be decided. */
export const AGENT = {
  key_hash: text('hash of the proxy key'),
  name: text('key name'),
  agent_name: text('agent name'),
  owner: text('key owner'),
  provider: text("the key's provider"),
  tags: row('map', tags, "value of the key's tag `x`"),
} satisfies Rows;

const PROVIDER = text('provider that the call is for');
const UNSEEN_CONTENT = flag('true if the request contains content that the gateway has not read as text');
const method = <Type extends z.ZodType>(type: Type) =>
  row('value', type, 'call type: `llm_call`, `mcp_tool_call` or another MCP type', {
    notInCards: true,
  });
const PATH = 'path as received, without a key: `/<provider>/v1/…`, `/mcp/<server>/tools/call`';

export const LLM_REQUEST = {
  provider: PROVIDER,
  model: text(
    'model of an LLM call, empty if the endpoint has none; if there are several models, each is judged',
  ),
  method: method(z.literal('llm_call')),
  path: text(PATH),
  unseen_content: UNSEEN_CONTENT,
} satisfies Rows;

export const MCP_REQUEST = {
  provider: PROVIDER,
  method: method(z.enum(MCP_CALL_TYPES)),
  mcp_method: derivedText("MCP method: `tools/call`, `resources/read`; empty for a client's answer"),
  tool_name: text('name of the called tool'),
  resource_uri: text('URIs of the resources to read, one per line'),
  prompt_name: text('name of the requested MCP prompt'),
  mcp_server: text('name of the MCP server'),
  path: derivedText(PATH),
  arguments: row(
    'document',
    z.unknown().optional(),
    'arguments of a tool or prompt, as received; `params` of other MCP methods',
  ),
  unseen_content: UNSEEN_CONTENT,
} satisfies Rows;

export const SESSION = {
  id: text('session id'),
  state: text('session state, as defined by a card'),
  spend: amount('USD that the session has spent'),
  steps: amount('model calls, including this one'),
  taint_flags: row('map', taintFlags, '`true` if this flag is set'),
  tools_called: names('called tools, in the order of their first calls'),
} satisfies Rows;

export const DRIFT = {
  drift_detected: flag('true if the session has left its topic'),
  drift_score: similarity('how far the session has drifted, 0 to 1'),
  anchor_similarity: similarity("similarity to the session's anchor, 0 to 1"),
  prior_similarity: similarity('similarity to the last turn on the topic, 0 to 1'),
  turn_count: amount('turns that the provider answered, including the first'),
} satisfies Rows;

export const AGENT_RISK = {
  risk_score: amount("the key's risk score"),
  total_policy_blocks: amount('calls that policies have blocked'),
  total_escalations: amount('calls that were escalated'),
  total_spend: amount('USD that the key has spent'),
  persistent_taint_flags: names('flags that outlive sessions'),
  session_count: amount("number of the key's sessions"),
  quarantine_active: flag('true while the key is in quarantine'),
} satisfies Rows;

export const ACTION = {
  normalized_prompt: derivedText("the request's texts without obfuscation, one per line"),
  injection_score: row(
    'value',
    z.number().min(0).max(1).exactOptional(),
    'score of `injection_learned`, 0 to 1',
  ),
} satisfies Rows;

export const OBFUSCATION = {
  obfuscation_detected: derivedFlag('true if any of the following flags is true'),
  has_homoglyphs: derivedFlag('lookalike letters'),
  has_invisible_chars: derivedFlag('invisible characters'),
  has_base64_payloads: derivedFlag('Base64 that contains text'),
  has_encoding_attacks: derivedFlag('text encoded to evade filters'),
  has_delim_padding: derivedFlag('words split by delimiters'),
} satisfies Rows;

export interface FieldGroup {
  readonly path: string;
  readonly rows: Rows;
  /** Prefix in cards; undefined if cards cannot read the group. */
  readonly cards: string | undefined;
}

export const FIELD_GROUPS: readonly FieldGroup[] = [
  { path: 'request', rows: { ...LLM_REQUEST, ...MCP_REQUEST }, cards: '' },
  { path: 'agent', rows: AGENT, cards: 'agent.' },
  { path: 'session', rows: SESSION, cards: 'session.' },
  { path: 'session.drift', rows: DRIFT, cards: 'session.drift.' },
  { path: 'agent_risk', rows: AGENT_RISK, cards: 'agent_risk.' },
  { path: 'action', rows: ACTION, cards: undefined },
  { path: 'action.obfuscation', rows: OBFUSCATION, cards: 'obfuscation.' },
];

export function shapeOf<Group extends Rows>(rows: Group): { [Name in keyof Group]: Group[Name]['type'] } {
  const shape = Object.fromEntries(Object.entries(rows).map(([name, { type }]) => [name, type]));
  return shape as { [Name in keyof Group]: Group[Name]['type'] };
}
