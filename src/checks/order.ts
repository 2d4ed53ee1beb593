import { budget } from './budget/entry.ts';
import { dlp } from './dlp/entry.ts';
import { drift } from './drift/entry.ts';
import type { CheckEntry, Sections } from './entry.ts';
import { heldCredential } from './held-credential/entry.ts';
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
import { storedObjects } from './stored-objects/entry.ts';

/** The first denial wins; `end` hooks release reservations. Key, lock and risk come first (auth/authenticate). */
export const ORDER = [
  rateLimit, // first: a refused request costs only its headers
  mcp, // checks the key's tools and MCP sessions, which is equally cheap
  keyAccess, // checks the key's providers and models, which costs nothing
  hostedTools, // changes the request, so that later checks judge what will be sent
  storedObjects, // refuses other keys' objects at the provider, before anything is spent
  remoteContent, // refuses unreadable content, before anything is spent
  session, // takes its step in one batch with the reads, before more expensive work
  normalization, // denies nothing: decodes the prompt for later checks
  mcpInspector, // inspects MCP answers, and checks tools against their pins
  mcpTools, // filters tool lists, after checks that need the original list
  dlp, // masks requests and answers before the charge
  heldCredential, // masks the gateway's own credential in answers, after DLP
  loop, // judges by the session's earlier calls
  drift, // judges by the session's earlier turns
  policy, // judges by the facts of all earlier checks
  policyMask, // masks what policies allowed
  mcpBreaker, // takes a probe, after most checks that deny
  budget, // reserves, after most checks that deny
  policyState, // after reservations, which can be released unnoticed; a state move affects other calls at once
  policyMaskAgain, // masks calls that were judged again after a state change
  answerMarks, // marks answers that are not withheld
];

type Entry = (typeof ORDER)[number];

type Facts<Use extends 'reads' | 'writes'> = NonNullable<Entry['facts'][Use]>[number];

/** Facts that auth/authenticate writes, before the first check. */
export const GIVEN_FACTS = ['agentRisk'] as const;

/** Facts that are read but never written. If there are any, `composeChecks` does not compile. */
export type UnwrittenFact = Exclude<Facts<'reads'>, Facts<'writes'> | (typeof GIVEN_FACTS)[number]>;

/** Check names must stay stable: they are metric labels and log fields. */
export type CheckName = Entry extends CheckEntry<infer Name, Sections> ? Name : never;

type Merged<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

export const checkSections = Object.assign({}, ...ORDER.map(({ sections }) => sections)) as Merged<
  Entry['sections']
>;
