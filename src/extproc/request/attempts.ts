import { applyEdits, applyEditsInTurns, splicesInTurns, type Splice } from '../../json/edit.ts';
import { HEADER } from '../../headers.ts';
import { isCarried } from '../../pipeline/carried.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { RoutedTo, Fallback } from '../../routes/aliases.ts';
import { ATTEMPTS_CLUSTER } from '../../routes/fallbacks.ts';
import type { ProviderTarget } from '../../routing/target.ts';
import type { StreamContext } from '../context.ts';
import { forwardRequest } from '../reply/respond.ts';
import type { At, Attempt } from '../state.ts';
import type { HeaderList, ProcessingResponse } from '../wire/messages.ts';
import {
  contentType,
  credentialHeaders,
  emptyForwarded,
  ENVOY_HEADERS,
  idempotencyHeaders,
  requestChanges,
  isSent,
} from './sent-headers.ts';

/** Envoy refuses changes that make the request headers exceed 60 KiB. 4 KiB are reserved for other new headers. */
const MAX_PLANS_BYTES = 60 * 1_024 - 4_096;

type Judged = At<'parsed'> & { readonly fallbacks: readonly Fallback[] };

interface Planned extends RoutedTo {
  readonly splices: readonly Splice[];
  readonly signature: HeaderList;
  readonly upstreamDigest: string | undefined;
  /** Outcomes after which the next target is tried. */
  readonly again: readonly string[];
}

/**
 * Sends a request that several targets may receive, one after another. Envoy's second listener makes the attempts
 * (envoy/attempts.lua) according to the plans written here. The checks have judged every target. A target gets a client
 * header only if the first target would also get it, because the checks have scanned no other headers.
 */
export async function sendAttempts(
  context: StreamContext,
  state: Judged,
  masked: Buffer | undefined,
): Promise<ProcessingResponse> {
  const { exchange } = state;
  const edited =
    exchange.edits.length === 0 ? masked : await applyEditsInTurns(exchange.body, exchange.edits);
  const body = edited ?? exchange.body;
  const targets = [{ exchange, target: state.target as ProviderTarget }, ...state.fallbacks];
  const wanted: Planned[] = [];
  for (const [index, target] of targets.entries()) {
    const again = state.fallbacks[index]?.after ?? [];
    wanted.push({ ...target, again, ...(await changesFor(context, target.exchange, body)) });
  }
  const passing = [...exchange.headers.keys()].filter((name) => isSent(exchange, name));
  const planned = fitting(wanted, passing, exchange.headers);
  const reply = replyFor(context, exchange, { planned, passing, edited });
  const attempts = planned.map(({ exchange: sent, upstreamDigest }): Attempt => ({
    exchange: sent,
    upstreamDigest,
  }));
  context.state = { ...state, at: 'forwarded', attempts };
  context.signed = context.signed && { ...context.signed, policySet: exchange.facts.judged?.set.digest };
  for (const { exchange: sent } of planned) emptyForwarded(sent);
  return reply;
}

async function changesFor(
  { services: { signer } }: StreamContext,
  { ownEdits = [], requestId }: Parsed,
  body: Buffer,
): Promise<Pick<Planned, 'splices' | 'signature' | 'upstreamDigest'>> {
  const splices = await splicesInTurns(body, ownEdits);
  if (signer === undefined) return { splices, signature: [], upstreamDigest: undefined };
  const own = applyEdits(body, ownEdits);
  const signature = await signer.request(own, requestId);
  return { splices, signature: [[HEADER.signature, signature]], upstreamDigest: signer.digest(own) };
}

/** Returns the first targets, at least one, whose plans fit into the request headers. */
function fitting(
  wanted: readonly Planned[],
  passing: readonly string[],
  headers: ReadonlyMap<string, string>,
): readonly Planned[] {
  let room = MAX_PLANS_BYTES;
  for (const name of passing) room -= name.length + Buffer.byteLength(headers.get(name) ?? '');
  const kept = wanted.findIndex((planned) => {
    room -= planOf(planned, passing).length;
    return room < 0;
  });
  if (kept < 0) return wanted;
  return wanted
    .slice(0, Math.max(1, kept))
    .map((planned, index, all) => (index === all.length - 1 ? { ...planned, again: [] } : planned));
}

interface Plans {
  readonly planned: readonly Planned[];
  /** Client headers that are forwarded. */
  readonly passing: readonly string[];
  /** Undefined if the body is unchanged. */
  readonly edited: Buffer | undefined;
}

function replyFor(
  context: StreamContext,
  exchange: Parsed,
  { planned, passing, edited }: Plans,
): ProcessingResponse {
  const [first] = planned;
  if (first === undefined) throw new Error('no target to call');
  const set = new Map<string, string>([
    [':authority', first.target.upstream.authority],
    [':path', pathOf(first)],
    [HEADER.upstream, ATTEMPTS_CLUSTER],
    ...contentType(exchange),
    ...(edited === undefined ? [] : ([['content-length', String(edited.length)]] as const)),
    ...planned.map((each, index) => [`x-gw-plan-${String(index + 1)}`, planOf(each, passing)] as const),
  ]);
  const sent = new Set(passing);
  const changes = requestChanges(context, exchange, set, (name) => sent.has(name));
  return forwardRequest('request_body', changes, edited);
}

function pathOf({ target, exchange }: RoutedTo): string {
  return target.upstream.basePath + exchange.path + exchange.query;
}

/** Encodes the changes for one attempt. envoy/attempts.lua decodes them. */
function planOf(planned: Planned, passing: readonly string[]): string {
  const { exchange, target, splices, again } = planned;
  const { cluster, authority } = target.upstream;
  const { answerWithinMs = 0 } = exchange;
  const path = pathOf(planned);
  const set = [
    ...idempotencyHeaders(exchange),
    ...credentialHeaders(exchange, authority, path, exchange.body),
    ...planned.signature,
  ];
  const drop = passing.filter((name) => !ENVOY_HEADERS.has(name) && !isCarried(exchange, name));
  return [
    ['cluster', cluster],
    ['authority', authority],
    ['path', path],
    ['again', again.join(',')],
    ...(answerWithinMs > 0 ? [['within', String(answerWithinMs)]] : []),
    ...set.map(([name, value]) => ['set', `${name}:${value}`]),
    ...drop.map((name) => ['drop', name]),
    ...splices.map(({ start, end, text }) => ['splice', `${String(start)}:${String(end)}:${text}`]),
  ]
    .map(([key = '', value = '']) => `${key}=${encodeURIComponent(value)}`)
    .join('&');
}
