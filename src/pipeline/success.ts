import type { Answered } from './exchange.ts';

/** Reports a 2xx status. Other answers only describe the request and cost nothing. */
export function isSuccess({ status }: Pick<Answered, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** Same as `isSuccess`, for answers of the provider or MCP server and not of the gateway. */
export function isSuccessOfServer(exchange: Pick<Answered, 'origin' | 'status'>): boolean {
  return exchange.origin === 'provider' && isSuccess(exchange);
}
