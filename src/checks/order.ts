import type { Check } from '../pipeline/check.ts';

/** The checks of a gateway, made by its composition root; those that it may leave out are optional. */
export interface Checks {
  readonly rateLimit?: Check;
  readonly mcp: Check;
  readonly allowed: Check;
  readonly providerTools: Check;
  readonly session: Check;
  readonly normalization: Check;
  readonly mcpInspector: Check;
  readonly mcpTools: Check;
  readonly dlp: Check;
  readonly loop: Check;
  readonly drift: Check;
  readonly policy?: Check;
  readonly policyMask?: Check;
  readonly mcpBreaker?: Check;
  readonly budget?: Check;
  readonly policyState?: Check;
  readonly policyMaskAgain?: Check;
  readonly answerMarks?: Check;
}

/**
 * The order in which checks judge: where several would deny, the first wins, and what an earlier one took is
 * given back by its `end` hook. Key, lock and risk come before all of them, in auth/authenticate.
 */
export function inOrder(checks: Checks): readonly Check[] {
  return [
    checks.rateLimit, // first: a refused request costs nothing but its headers
    checks.mcp, // a key's own tools and MCP sessions: as cheap, and decides as much
    checks.allowed, // a key's own providers and models: costs nothing, and decides whether anything else matters
    checks.providerTools, // changes what will be sent, so later checks judge the request as it will leave
    checks.session, // judges by the step it took with the reads, before anything that costs more is done for the call
    checks.normalization, // denies nothing: reads what hides in the prompt for the checks after it
    checks.mcpInspector, // answers of MCP servers; asks whether a tool has changed since it was pinned
    checks.mcpTools, // after what judges a list as its server wrote it: a key sees the tools that it may call
    checks.dlp, // masks what will be sent, and every answer, before anybody is charged by it
    checks.loop, // by the session's earlier calls
    checks.drift, // by the session's earlier turns
    checks.policy, // by all that the checks before it have learnt
    checks.policyMask, // of what was let through
    checks.mcpBreaker, // a probe is taken only for what would be sent
    checks.budget, // a hold is taken only for what would be sent
    checks.policyState, // after the holds: one is given back unseen, but by a moved state others are judged at once
    checks.policyMaskAgain, // of what was judged again, by the state that another call has left
    checks.answerMarks, // of answers that nobody withholds
  ].filter((check) => check !== undefined);
}
