import { isSuccess } from '../../../pipeline/success.ts';
import { PASS, type Denial, type Verdict } from '../../../pipeline/check.ts';
import type { Answered, Parsed } from '../../../pipeline/exchange.ts';
import { MCP_SESSION_HEADER } from '../../../conversation/mcp-session.ts';
import type { McpSession, McpSessionStore } from './store.ts';

/** Holds each session of an MCP server to the key that it was given to (docs/mcp-sessions.md). */
export interface SessionBinding {
  /** Whether the session that a request names is its key's own; one wait for Redis, none where it names none. */
  judge(exchange: Parsed): Promise<Verdict>;
  /** Binds the session that an answer gives out, and forgets one that was ended. */
  keep(exchange: Answered): Promise<Verdict>;
}

export function createSessionBinding(store: McpSessionStore): SessionBinding {
  return {
    async judge(exchange) {
      const session = sessionOf(exchange, exchange.headers.get(MCP_SESSION_HEADER));
      if (session === undefined) return resumesNobodys(exchange) ? sessionMissing() : PASS;
      // Nobody's and another's look alike: whoever guesses ids learns nothing.
      return (await store.use(session)) === 'own' ? PASS : sessionGone();
    },
    async keep(exchange) {
      const asked = sessionOf(exchange, exchange.headers.get(MCP_SESSION_HEADER));
      if (exchange.origin !== 'provider') return PASS;
      if (asked !== undefined && hasEndedSession(exchange)) {
        await store.end(asked);
        return PASS;
      }
      // With a refusal a server gives out no session, and whoever asks would fill the store with them.
      if (!isSuccess(exchange)) return PASS;
      const given = sessionOf(exchange, exchange.answerHeaders.get(MCP_SESSION_HEADER));
      if (given === undefined || given.sessionId === asked?.sessionId) return PASS;
      return (await store.bind(given)) === 'own' ? PASS : takenSession();
    },
  };
}

function sessionOf({ mcp, key }: Parsed, sessionId: string | undefined): McpSession | undefined {
  if (mcp === undefined || sessionId === undefined) return undefined;
  return { server: mcp.server, sessionId, keyHash: key.keyHash };
}

/** All keys are one client to a server: only a session tells it whose events it gives out once more. */
function resumesNobodys({ mcp, method, headers }: Parsed): boolean {
  return mcp !== undefined && method === 'GET' && headers.has('last-event-id');
}

function sessionMissing(): Denial {
  return {
    kind: 'deny',
    type: 'invalid_request',
    message: 'Last-Event-ID without Mcp-Session-Id: a stream is resumed in the session that it belongs to',
  };
}

/** A server may refuse to end a session (405), and then keeps it. */
function hasEndedSession(exchange: Answered): boolean {
  return exchange.method === 'DELETE' && isSuccess(exchange);
}

/** At a 404 a client begins a new session, as MCP has it. */
function sessionGone(): Denial {
  return {
    kind: 'deny',
    type: 'not_found',
    message: 'this MCP session does not exist: start a new one with initialize',
  };
}

/** Whoever got it would share another key's session with it. */
function takenSession(): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: 'the MCP server gave out a session id that belongs to another key',
  };
}
