import type { Answered } from './exchange.ts';

/** Reports a 2xx status. Other answers describe the request and cost nothing. */
export function isSuccess({ status }: Pick<Answered, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** Like `isSuccess`, if the provider or MCP server gave the answer, not the gateway. */
export function isSuccessOfServer(exchange: Pick<Answered, 'origin' | 'status'>): boolean {
  return exchange.origin === 'provider' && isSuccess(exchange);
}
