/**
 * Why a JWT or its proof was refused. Audited and counted, but not sent to clients, because attackers could learn from
 * it.
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
  /** The token is for another proxy key or, with `zsp.jwt_only`, for none. */
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

export class TokenRefused extends Error {
  readonly fault: TokenFault;

  constructor(fault: TokenFault) {
    super(fault);
    this.name = 'TokenRefused';
    this.fault = fault;
  }
}
