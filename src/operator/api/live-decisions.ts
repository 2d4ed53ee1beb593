import type { ServerResponse } from 'node:http';
import { isShown, type DecisionFilter } from '../decisions/filter.ts';
import { readDecision } from '../decisions/read-decision.ts';
import type { PageServices } from '../services.ts';
import type { SignedIn } from '../sign-in/roles.ts';
import { ApiError } from './problem.ts';
import { StreamReply } from './route.ts';
import type { Decision } from './schemas/traffic.ts';

const PAGE = 500;
/** Maximum number of missed records per connection. The connection then ends, and the client reconnects. */
const MAX_READ = 10_000;
const MAX_STREAMS = 64;
const MAX_STREAMS_PER_PERSON = 8;
/** Maximum number of unsent bytes. Slower clients are disconnected and resume after their last event. */
const MAX_PENDING_BYTES = 1_048_576;
const HEARTBEAT_MS = 15_000;
/** Milliseconds until a browser reconnects. */
const RETRY_MS = 1_000;
/** The browser reconnects after this time and is identified again, because its session may have ended. */
const LIFE_MS = 60_000;

type Audit = PageServices['operations']['audit'];

/** @param last id of the last event that the client has received */
export type OpenStream = (filter: DecisionFilter, who: SignedIn, last: string | undefined) => StreamReply;

export function liveStreams({ feed, operations, log }: PageServices): OpenStream {
  const open = new Map<string, number>();
  let total = 0;
  return (filter, who, last) => {
    const person = `${who.kind} ${who.subject}`;
    return new StreamReply((response) => {
      if (response.destroyed) return;
      const own = open.get(person) ?? 0;
      if (total >= MAX_STREAMS || own >= MAX_STREAMS_PER_PERSON)
        throw new ApiError('overloaded', 'too many live streams are open: close another tab');
      total += 1;
      open.set(person, own + 1);
      const stream = writeStream(response, (decision) => isShown(decision, filter, who));
      const { started, leave } = feed.follow({ onDecisions: stream.write, onGap: stream.breakOff });
      response.once('close', () => {
        leave();
        stream.end();
        total -= 1;
        const left = (open.get(person) ?? 1) - 1;
        if (left === 0) open.delete(person);
        else open.set(person, left);
      });
      // Resuming before `started` would lose decisions in between.
      const resumed = started.then(() => stream.resume(operations.audit, last));
      resumed.catch((cause: unknown) => {
        log.warn({ err: cause }, 'a live stream of decisions ended');
        response.destroy();
      });
    });
  };
}

/** Writes decisions as events, in order and without repeats or gaps. */
function writeStream(response: ServerResponse, isWanted: (decision: Decision) => boolean) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  response.write(`retry: ${String(RETRY_MS)}\n\n`);
  const heartbeat = setInterval(() => response.write(': alive\n\n'), HEARTBEAT_MS);
  const life = setTimeout(() => {
    // `end` would wait for a client that does not read.
    if (response.writableNeedDrain) response.destroy();
    else response.end();
  }, LIFE_MS);
  /** Decisions that arrive while missed ones are read. */
  let waiting: Decision[] | undefined = [];
  let isBroken = false;
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
      if (waiting.length + decisions.length > MAX_READ) isBroken = true;
      if (!isBroken) waiting.push(...decisions);
      return;
    }
    send(decisions);
    if (response.writableLength > MAX_PENDING_BYTES) response.destroy();
  }
  /** Ends the stream. The client resumes after this record, even if it has not received the record itself. */
  function endAfter(id: string): void {
    response.end(id === '0-0' ? '' : `id: ${id}\n\n`);
  }
  function goLive(): void {
    const arrived = waiting ?? [];
    waiting = undefined;
    write(arrived);
    if (isBroken) endAfter(sent);
  }
  return {
    write,
    /** Ends the stream at the point where decisions were skipped. */
    breakOff: (): void => {
      isBroken = true;
      if (waiting === undefined) endAfter(sent);
    },
    /** Sends missed decisions at the client's speed, followed by decisions that arrived in the meantime. */
    resume: async (audit: Audit, last: string | undefined): Promise<void> => {
      if (last === undefined) {
        goLive();
        return;
      }
      let at = last;
      for (let read = 0; read < MAX_READ; read += PAGE) {
        const page = await audit.after(at, PAGE);
        at = page.at(-1)?.id ?? at;
        send(page.flatMap((entry) => readDecision(entry) ?? []));
        if (response.writableNeedDrain) await drained(response);
        if (response.destroyed || response.writableEnded) return;
        if (page.length < PAGE) {
          goLive();
          return;
        }
      }
      endAfter(at);
    },
    end: () => {
      clearInterval(heartbeat);
      clearTimeout(life);
    },
  };
}

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
