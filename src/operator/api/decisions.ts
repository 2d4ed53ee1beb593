import { isShown, type DecisionFilter } from '../decisions/filter.ts';
import { readDecision, readStep, type StoryStep } from '../decisions/read-decision.ts';
import type { PageServices } from '../services.ts';
import type { SignedIn } from '../sign-in/roles.ts';
import { wrongCursor } from '../survey/page.ts';
import { decisionsQuery, liveQuery } from './bodies.ts';
import { createTurns } from './in-turn.ts';
import { liveStreams } from './live-decisions.ts';
import { ApiError } from './problem.ts';
import { route, type Route } from './route.ts';
import { decisions, requestStory, type Decision } from './schemas/traffic.ts';

const PAGE = 500;
/** Maximum number of records read per answer. Longer lists continue at the cursor. */
const MAX_READ = 10_000;
/** Maximum number of records searched for the records of one request. */
const MAX_SEARCHED = 100_000;
const MAX_STEPS = 1_000;
const ID = /^\d{1,16}-\d{1,20}$/;
const TRACE_ID = /^[0-9a-f]{32}$/;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

export function decisionRoutes(services: PageServices): readonly Route[] {
  const { config, operations } = services;
  const inTurn = createTurns();
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
      summary: 'New decisions, as server-sent events; Last-Event-ID resumes',
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
      summary: 'All records of one request',
      role: 'viewer',
      owners: true,
      answer: requestStory,
      handle: async ({ params: { id = '' }, who }) => {
        if (!REQUEST_ID.test(id)) throw new ApiError('not_found', 'this is not a request id');
        const story = await inTurn(() => storyOf(operations.audit, id, who));
        if (story.steps.length === 0)
          throw new ApiError('not_found', 'the audit trail in Redis has no record of this request');
        return { request_id: id, ...story, trace_url: traceUrl(story.steps, config.otel.viewer_url) };
      },
    }),
  ];
}

/** Returns the trace URL of the request, or null without a trace or `otel.viewer_url`. */
function traceUrl(steps: readonly StoryStep[], viewer: string): string | null {
  const id = steps.findLast((step) => step.trace_id !== null)?.trace_id ?? '';
  return viewer !== '' && TRACE_ID.test(id) ? viewer.replaceAll('{trace_id}', id) : null;
}

/** @throws ApiError for a text that is not a record id */
function idOf(text: string | undefined): string | undefined {
  if (text === undefined || ID.test(text)) return text;
  throw wrongCursor();
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
  const quotedId = JSON.stringify(requestId);
  let searched = 0;
  let before = '+';
  while (searched < MAX_SEARCHED) {
    const page = await audit.before(before, PAGE);
    searched += page.length;
    before = page.at(-1)?.id ?? before;
    for (const entry of page) {
      const step = entry.record.includes(quotedId) ? readStep(entry) : undefined;
      if (step?.request_id === requestId && maySeeStep(step, who) && steps.length < MAX_STEPS)
        steps.push(step);
    }
    if (page.length < PAGE) return { steps: steps.reverse(), searched, complete: true };
  }
  return { steps: steps.reverse(), searched, complete: false };
}

/** Compares owners per step, because a proxy in front of Envoy may assign one id to requests of several owners. */
function maySeeStep({ owner }: StoryStep, who: SignedIn): boolean {
  return who.owner === undefined || owner === who.owner;
}
