import { GatewayError } from '../../errors.ts';
import { asDenial, PASS_EVENT, type StreamAction, type StreamRewriter } from '../../pipeline/check.ts';
import type { Admitted, Answered } from '../../pipeline/exchange.ts';

/** How long the last check of a key remains valid. */
const JUDGED_FOR_MS = 1_000;

export type AuthenticateAgain = (
  admitted: Pick<Admitted, 'key' | 'rawKeyHash' | 'tokenEndsAt'>,
) => Promise<unknown>;

/** Cuts an open-ended stream before its next event once its key is no longer valid. Undefined for other streams. */
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

/** Matches server-initiated streams: the GET stream up to 2025-11-25, and later subscriptions. */
function isOpenEnded({ mcp, method, request }: Answered): boolean {
  if (mcp === undefined) return false;
  return (
    method === 'GET' || (request.mcp?.kind === 'request' && request.mcp.method === 'subscriptions/listen')
  );
}
