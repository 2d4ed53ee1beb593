import type { ServerResponse } from 'node:http';
import type { Entry } from '../../audit/stream-store.ts';
import { isShown, type DecisionFilter } from '../decisions/filter.ts';
import { readDecision, readStep, type StoryStep } from '../decisions/read-decision.ts';
import type { PageServices } from '../services.ts';
import type { SignedIn } from '../sign-in/roles.ts';
import { decisionsQuery, liveQuery } from './bodies.ts';
import { createTurns } from './in-turn.ts';
import { ApiError } from './problem.ts';
import { route, StreamReply, type Route } from './route.ts';
import { decisions, requestStory, type Decision } from './schemas/traffic.ts';

const PAGE = 500;
/** Records read per answer; longer lists continue at the cursor. */
const MAX_READ = 10_000;
/** Concurrent reads of lists and stories. Gateways have priority in Redis. */
const READING_AT_ONCE = 2;
/** Records searched per request. */
const MAX_SEARCHED = 100_000;
const MAX_STEPS = 1_000;
const MAX_STREAMS = 64;
const MAX_STREAMS_OF_ONE = 8;
/** Slower clients are disconnected, and resume after their last event. */
const MAX_PENDING_BYTES = 1_048_576;
const HEARTBEAT_MS = 15_000;
/** Milliseconds until a browser reconnects. */
const RETRY_MS = 1_000;
/** The browser then reconnects and is identified again: its session may have ended. */
const LIFE_MS = 60_000;
const ID = /^\d{1,16}-\d{1,20}$/;
const TRACE_ID = /^[0-9a-f]{32}$/;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Decisions: a list, a live stream, and the complete story of one request. */
export function decisionRoutes(services: PageServices): readonly Route[] {
  const { config, operations } = services;
  const inTurn = createTurns(READING_AT_ONCE);
  const live = liveStreams(services);
  return [
    route({
      method: 'GET',
      path: '/api/decisions',
      summary: 'Decisions, newest first',
      role: 'viewer',
      owners: true,
      query: decisionsQuery,
      answer: decisions,
      handle: ({ query: { limit, cursor, ...filter }, who }) =>
        inTurn(() => listDecisions(operations.audit, { limit, before: idOf(cursor) ?? '+', filter, who })),
    }),
    route({
      method: 'GET',
      path: '/api/decisions/live',
      summary: 'Decisions as they come, as server-sent events; Last-Event-ID resumes',
      role: 'viewer',
      owners: true,
      query: liveQuery,
      handle: ({ query, who, incoming }) => {
        const last = idOf(headerText(incoming.headers['last-event-id']));
        return Promise.resolve(live(query, who, last));
      },
    }),
    route({
      method: 'GET',
      path: '/api/requests/{id}',
      summary: 'Everything on record about one request',
      role: 'viewer',
      owners: true,
      answer: requestStory,
      handle: async ({ params: { id = '' }, who }) => {
        if (!REQUEST_ID.test(id)) throw new ApiError('not_found', 'this is not the id of a request');
        const story = await inTurn(() => storyOf(operations.audit, id, who));
        if (story.steps.length === 0)
          throw new ApiError('not_found', 'the audit trail in Redis has no record of this request');
        return { request_id: id, ...story, trace_url: traceUrl(story.steps, config.otel.viewer_url) };
      },
    }),
  ];
}

/** Returns the URL of the request's trace; null without a trace or without a viewer in `otel`. */
function traceUrl(steps: readonly StoryStep[], viewer: string): string | null {
  const id = steps.findLast((step) => step.trace_id !== null)?.trace_id ?? '';
  return viewer !== '' && TRACE_ID.test(id) ? viewer.replaceAll('{trace_id}', id) : null;
}

/** @throws ApiError unless the text is a record id */
function idOf(written: string | undefined): string | undefined {
  if (written === undefined || ID.test(written)) return written;
  throw new ApiError('invalid_request', 'the cursor is not one of this list');
}

function headerText(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined;
}

type Audit = PageServices['operations']['audit'];

interface ListOptions {
  readonly limit: number;
  readonly before: string;
  readonly filter: DecisionFilter;
  readonly who: SignedIn;
}

async function listDecisions(audit: Audit, { limit, before, filter, who }: ListOptions) {
  const items: Decision[] = [];
  let at = before;
  for (let read = 0; read < MAX_READ; read += PAGE) {
    const page = await audit.before(at, PAGE);
    for (const entry of page) {
      at = entry.id;
      const decision = readDecision(entry);
      if (decision === undefined || !isShown(decision, filter, who)) continue;
      items.push(decision);
      if (items.length === limit) return { items, next: at };
    }
    if (page.length < PAGE) return { items };
  }
  return { items, next: at };
}

async function storyOf(audit: Audit, requestId: string, who: SignedIn) {
  const steps: StoryStep[] = [];
  const marked = JSON.stringify(requestId);
  let searched = 0;
  let before = '+';
  while (searched < MAX_SEARCHED) {
    const page = await audit.before(before, PAGE);
    searched += page.length;
    before = page.at(-1)?.id ?? before;
    for (const entry of page) {
      const step = entry.record.includes(marked) ? readStep(entry) : undefined;
      if (step?.request_id === requestId && isStepOf(step, who) && steps.length < MAX_STEPS) steps.push(step);
    }
    if (page.length < PAGE) return { steps: steps.reverse(), searched, complete: true };
  }
  return { steps: steps.reverse(), searched, complete: false };
}

/** Requests of several owners may share an id: a proxy in front of Envoy can choose it. */
function isStepOf({ owner }: StoryStep, who: SignedIn): boolean {
  return who.owner === undefined || owner === who.owner;
}

type OpenStream = (filter: DecisionFilter, who: SignedIn, last: string | undefined) => StreamReply;

function liveStreams({ feed, operations, log }: PageServices): OpenStream {
  const open = new Map<string, number>();
  let all = 0;
  return (filter, who, last) => {
    const whose = `${who.kind} ${who.subject}`;
    return new StreamReply((response) => {
      if (response.destroyed) return;
      const own = open.get(whose) ?? 0;
      if (all >= MAX_STREAMS || own >= MAX_STREAMS_OF_ONE)
        throw new ApiError('overloaded', 'too many live streams are open: close another tab');
      all += 1;
      open.set(whose, own + 1);
      const stream = writeStream(response, (decision) => isShown(decision, filter, who));
      const leave = feed.follow(stream.write);
      response.once('close', () => {
        leave();
        stream.end();
        all -= 1;
        const left = (open.get(whose) ?? 1) - 1;
        if (left === 0) open.delete(whose);
        else open.set(whose, left);
      });
      stream.resume(last === undefined ? [] : missedSince(operations.audit, last)).catch((cause: unknown) => {
        log.warn({ err: cause }, 'a live stream of decisions ended');
        response.destroy();
      });
    });
  };
}

/** Reads events after the last one received, page by page, up to a limit. */
async function* missedSince(audit: Audit, last: string): AsyncGenerator<readonly Entry[]> {
  let at = last;
  for (let read = 0; read < MAX_READ; read += PAGE) {
    const page = await audit.after(at, PAGE);
    at = page.at(-1)?.id ?? at;
    yield page;
    if (page.length < PAGE) return;
  }
}

/** Writes decisions as events, in order and without repeats. */
function writeStream(response: ServerResponse, isWanted: (decision: Decision) => boolean) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  response.write(`retry: ${String(RETRY_MS)}\n\n`);
  const heartbeat = setInterval(() => response.write(': alive\n\n'), HEARTBEAT_MS);
  const life = setTimeout(() => {
    // `end` would wait for a client that does not read.
    if (response.writableNeedDrain) response.destroy();
    else response.end();
  }, LIFE_MS);
  /** Decisions that arrive while earlier ones are read. */
  let waiting: Decision[] | undefined = [];
  let sent = '0-0';

  function send(decisions: readonly Decision[]): void {
    for (const decision of decisions) {
      if (!isAfter(decision.id, sent)) continue;
      sent = decision.id;
      if (!isWanted(decision)) continue;
      response.write(`id: ${decision.id}\ndata: ${JSON.stringify(decision)}\n\n`);
    }
  }
  function write(decisions: readonly Decision[]): void {
    if (waiting !== undefined) {
      waiting.push(...decisions.slice(0, Math.max(0, MAX_READ - waiting.length)));
      return;
    }
    send(decisions);
    if (response.writableLength > MAX_PENDING_BYTES) response.destroy();
  }
  return {
    write,
    /** Sends missed decisions at the client's speed, then those that arrived meanwhile. */
    resume: async (
      missed: AsyncIterable<readonly Entry[]> | readonly (readonly Entry[])[],
    ): Promise<void> => {
      for await (const page of missed) {
        send(page.flatMap((entry) => readDecision(entry) ?? []));
        if (response.writableNeedDrain) await drained(response);
        if (response.destroyed || response.writableEnded) return;
      }
      const come = waiting ?? [];
      waiting = undefined;
      write(come);
    },
    end: () => {
      clearInterval(heartbeat);
      clearTimeout(life);
    },
  };
}

/** Resolves when the buffer is empty or the client has left. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      response.off('drain', done).off('close', done);
      resolve();
    }
    response.on('drain', done).on('close', done);
  });
}

function isAfter(id: string, other: string): boolean {
  const [ms = 0, nth = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherNth = 0] = other.split('-').map(Number);
  return ms > otherMs || (ms === otherMs && nth > otherNth);
}
