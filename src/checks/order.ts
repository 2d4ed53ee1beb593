import { budget } from './budget/entry.ts';
import { dlp } from './dlp/entry.ts';
import { drift } from './drift/entry.ts';
import type { CheckEntry, Sections } from './entry.ts';
import { hostedTools } from './hosted-tools/entry.ts';
import { keyAccess } from './key-access/entry.ts';
import { loop } from './loop/entry.ts';
import { mcpBreaker } from './mcp-breaker/entry.ts';
import { mcpInspector } from './mcp-inspector/entry.ts';
import { mcpTools } from './mcp-tools/entry.ts';
import { mcp } from './mcp/entry.ts';
import { normalization } from './normalization/entry.ts';
import { policyMask, policyMaskAgain } from './policy-mask/entry.ts';
import { answerMarks, policy, policyState } from './policy/entry.ts';
import { rateLimit } from './rate-limit/entry.ts';
import { remoteContent } from './remote-content/entry.ts';
import { session } from './session/entry.ts';

/**
 * The order in which checks judge: where several would deny, the first wins, and what an earlier one took is
 * given back by its `end` hook. Key, lock and risk come before all of them, in auth/authenticate.
 */
export const ORDER = [
  rateLimit, // first: a refused request costs nothing but its headers
  mcp, // a key's own tools and MCP sessions: as cheap, and decides as much
  keyAccess, // a key's own providers and models: costs nothing, and decides whether anything else matters
  hostedTools, // changes what will be sent, so later checks judge the request as it will leave
  remoteContent, // what nobody here can read, before anything is spent on the rest
  session, // judges by the step it took with the reads, before anything that costs more is done for the call
  normalization, // denies nothing: reads what hides in the prompt for the checks after it
  mcpInspector, // answers of MCP servers; asks whether a tool has changed since it was pinned
  mcpTools, // after what judges a list as its server wrote it: a key sees the tools that it may call
  dlp, // masks what will be sent, and every answer, before anybody is charged by it
  loop, // by the session's earlier calls
  drift, // by the session's earlier turns
  policy, // by all that the checks before it have learnt
  policyMask, // of what was let through
  mcpBreaker, // a probe is taken only for what would be sent
  budget, // a hold is taken only for what would be sent
  policyState, // after the holds: one is given back unseen, but by a moved state others are judged at once
  policyMaskAgain, // of what was judged again, by the state that another call has left
  answerMarks, // of answers that nobody withholds
];

type Entry = (typeof ORDER)[number];

type Facts<Use extends 'reads' | 'writes'> = NonNullable<Entry['facts'][Use]>[number];

/** Facts that are there before the first check judges: written by auth/authenticate. */
export const GIVEN_FACTS = ['agentRisk'] as const;

/** Facts that some check reads and none writes: with any, `composeChecks` does not compile. */
export type UnwrittenFact = Exclude<Facts<'reads'>, Facts<'writes'> | (typeof GIVEN_FACTS)[number]>;

/** Stable names: metric labels and log fields. */
export type CheckName = Entry extends CheckEntry<infer Name, Sections> ? Name : never;

type Merged<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The sections of gateway.yaml that are a check's own, by their names. */
export const checkSections = Object.assign({}, ...ORDER.map(({ sections }) => sections)) as Merged<
  Entry['sections']
>;
