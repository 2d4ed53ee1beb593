import { GatewayError } from '../errors.ts';

export function methodNotAllowed(takes: readonly string[]): GatewayError {
  const allow = takes.join(', ');
  return new GatewayError('method_not_allowed', `this path takes ${allow}`, { headers: { allow } });
}
