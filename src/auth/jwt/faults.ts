/**
 * Why a JWT or its proof was refused: for the audit log and the metric, a closed set. The client is told none of it,
 * since whoever tries tokens would learn from it.
 */
export const TOKEN_FAULTS = [
  'jwt_missing',
  'jwt_malformed',
  'jwt_algorithm',
  'jwt_type',
  'jwt_key_unknown',
  'jwt_signature',
  'jwt_claim_missing',
  'jwt_issuer',
  'jwt_audience',
  'jwt_expired',
  'jwt_not_yet_valid',
  'jwt_claim_invalid',
  'jwt_confirmation',
  /** It is for another proxy key, or no key is named where one must be. */
  'jwt_other_key',
  'dpop_missing',
  'dpop_unbound',
  'dpop_unconfigured',
  'dpop_malformed',
  'dpop_other_key',
  'dpop_signature',
  'dpop_other_request',
  'dpop_other_token',
  'dpop_time',
  'dpop_replayed',
] as const;
export type TokenFault = (typeof TOKEN_FAULTS)[number];

/** A refusal on its way to the one place that answers and counts it. */
export class TokenRefused extends Error {
  readonly fault: TokenFault;

  constructor(fault: TokenFault) {
    super(fault);
    this.name = 'TokenRefused';
    this.fault = fault;
  }
}
