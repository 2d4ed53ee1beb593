import { GatewayError } from '../../errors.ts';
import { isPreflight, preflightHeaders } from '../../mcp/cross-origin.ts';
import { isLogged, type StreamContext } from '../context.ts';
import type { ProcessingResponse } from '../wire/messages.ts';
import type { RequestHead } from './request-head.ts';
import { refuse } from '../reply/respond.ts';
import { isForBrowsers } from './surface.ts';

/**
 * Answers requests that need no key: CORS preflights, and MCP clients' lookups of an authorization server. Returns
 * undefined if a key is required.
 * @throws GatewayError not_found, policy_denied
 */
export function answerWithoutKey(context: StreamContext, head: RequestHead): ProcessingResponse | undefined {
  const { surface } = context;
  if (isForBrowsers(surface) && isPreflight(head.method, head.headers)) {
    if (context.crossOrigin.length === 0) throw foreignOrigin();
    context.state = { at: 'replied' };
    context.status = 204;
    const headers = [...context.crossOrigin, ...preflightHeaders(head.headers)];
    return refuse({ status: 204, body: '' }, headers, isLogged(context));
  }
  if (surface.kind === 'oauth')
    throw new GatewayError(
      'not_found',
      'this gateway has no authorization server: send a proxy key in Authorization: Bearer',
    );
  return undefined;
}

function foreignOrigin(): GatewayError {
  return new GatewayError(
    'policy_denied',
    'this web page is not allowed to call the gateway: an operator can add its Origin to mcp.allowed_origins',
  );
}
