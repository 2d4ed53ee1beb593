import { GatewayError } from '../../errors.ts';
import { asDenial, PASS_EVENT, type StreamAction, type StreamRewriter } from '../../pipeline/check.ts';
import type { Admitted, Answered } from '../../pipeline/exchange.ts';

/** A key is judged again before an event that comes so long after it was judged last. */
const JUDGED_FOR_MS = 1_000;

/** Throws GatewayError where what a request was let in by would not be let in now. */
export type AuthenticateAgain = (
  admitted: Pick<Admitted, 'key' | 'rawKeyHash' | 'tokenEndsAt'>,
) => Promise<unknown>;

/**
 * Cuts a stream that has no end of its own, before its next event, once its key is locked, blocked, revoked or over:
 * for such a stream there is no next request at which it would show. Undefined for every other one.
 */
export function createKeyGuard(
  exchange: Answered,
  authenticateAgain: AuthenticateAgain,
): StreamRewriter | undefined {
  if (!isOpenEnded(exchange)) return undefined;
  let judgedAt = exchange.startedAt;

  async function judge(): Promise<StreamAction> {
    try {
      await authenticateAgain(exchange);
    } catch (failure) {
      if (!(failure instanceof GatewayError)) throw failure;
      return { kind: 'cut', denial: asDenial(failure) };
    }
    judgedAt = performance.now();
    return PASS_EVENT;
  }

  return {
    readsText: false,
    event: () => (performance.now() - judgedAt < JUDGED_FOR_MS ? PASS_EVENT : judge()),
  };
}

/** What a server says by itself: its own stream in the older era, a subscription in the stateless one. */
function isOpenEnded({ mcp, method, request }: Answered): boolean {
  if (mcp === undefined) return false;
  return (
    method === 'GET' || (request.mcp?.kind === 'request' && request.mcp.method === 'subscriptions/listen')
  );
}
