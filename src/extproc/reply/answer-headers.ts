import { TELEMETRY_HEADERS } from '../../headers.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { isShown } from '../../shown-headers.ts';
import type { StreamContext } from '../context.ts';
import { withReceipt } from './receipt.ts';
import type { HeaderChanges } from './respond.ts';

/** Adds the checks' headers, and removes answer headers that may not reach a client (`isShown`). */
export function headerChanges(context: StreamContext, exchange: Answered): HeaderChanges {
  const set = [...exchange.responseHeaders];
  const source = exchange.mcp === undefined ? 'provider' : 'mcp';
  const remove: string[] = [];
  for (const [name, value] of exchange.answerHeaders) {
    if (!isEnvoyHeader(name) && !isShown(name, value, source)) remove.push(name);
  }
  const { stripTelemetry } = context.services.settings;
  const shown = stripTelemetry ? set.filter(([name]) => !TELEMETRY_HEADERS.has(name)) : set;
  return { set: withReceipt(context, context.status, shown), remove };
}

const MARK = 'x-gw-origin';

/** Pseudo headers, and the mark that the response gate reads and removes. */
function isEnvoyHeader(name: string): boolean {
  return name.startsWith(':') || name === MARK;
}

/** Adds the length of a replaced body. Digests and encodings of the original never pass. */
export function withBody(changes: HeaderChanges, body: Buffer): HeaderChanges {
  return { ...changes, set: [...changes.set, ['content-length', String(body.length)]] };
}
