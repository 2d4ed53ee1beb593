import type { Answered } from './exchange.ts';

/** Whether an answer is one to what was asked: 2xx. Any other is about the request, and costs nothing. */
export function isSuccess({ status }: Pick<Answered, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** The same, where the provider or the MCP server gave it and not the gateway. */
export function isSuccessOfServer(exchange: Pick<Answered, 'origin' | 'status'>): boolean {
  return exchange.origin === 'provider' && isSuccess(exchange);
}
