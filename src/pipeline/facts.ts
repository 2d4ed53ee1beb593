/**
 * What one check learns and another judges by, named as SPEC's `input.*`. Not a bag: no fact without a writer
 * and a reader. The key's own facts are read at request headers; session, drift and obfuscation join with
 * their checks.
 */
export interface Facts {
  /** SPEC "Agent risk profile", as far as the edge needs it. Written by auth/authenticate. */
  readonly agentRisk: { readonly riskScore: number; readonly blocked: boolean };
}
