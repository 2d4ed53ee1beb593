import { isSuccess, type Answered, type Parsed } from '../../../pipeline/exchange.ts';
import { PASS, type Denial, type Verdict } from '../../../pipeline/check.ts';
import { MCP_SESSION_HEADER } from '../../../conversation/session-name.ts';
import type { McpSession, McpSessionStore } from './store.ts';

/** Binds each MCP session to the key that received it (docs/mcp-sessions.md). */
export interface SessionBinding {
  judge(exchange: Parsed): Promise<Verdict>;
  keep(exchange: Answered): Promise<Verdict>;
}

export function createSessionBinding(store: McpSessionStore): SessionBinding {
  return {
    async judge(exchange) {
      const session = sessionOf(exchange, exchange.headers.get(MCP_SESSION_HEADER));
      if (session === undefined) return resumesWithoutSession(exchange) ? sessionMissing() : PASS;
      // Unknown sessions and other keys' sessions get the same answer, so that guessing ids reveals nothing.
      return (await store.use(session)) === 'own' ? PASS : sessionGone();
    },
    async keep(exchange) {
      const named = sessionOf(exchange, exchange.headers.get(MCP_SESSION_HEADER));
      if (exchange.origin !== 'provider') return PASS;
      if (named !== undefined && hasEndedSession(exchange)) {
        await store.end(named);
        return PASS;
      }
      // Errors create no session. Binding their session ids would let callers fill the store.
      if (!isSuccess(exchange)) return PASS;
      const given = sessionOf(exchange, exchange.answerHeaders.get(MCP_SESSION_HEADER));
      if (given === undefined || given.sessionId === named?.sessionId) return PASS;
      return (await store.bind(given)) === 'own' ? PASS : takenSession();
    },
  };
}

function sessionOf({ mcp, key }: Parsed, sessionId: string | undefined): McpSession | undefined {
  if (mcp === undefined || sessionId === undefined) return undefined;
  return { server: mcp.server, sessionId, keyHash: key.keyHash };
}

/** Servers see all keys as one client, so only a session shows whose events to resend. */
function resumesWithoutSession({ mcp, method, headers }: Parsed): boolean {
  return mcp !== undefined && method === 'GET' && headers.has('last-event-id');
}

function sessionMissing(): Denial {
  return {
    kind: 'deny',
    type: 'invalid_request',
    message: 'Last-Event-ID requires the Mcp-Session-Id of the stream to resume',
  };
}

/** A server may answer 405 and keep the session. */
function hasEndedSession(exchange: Answered): boolean {
  return exchange.method === 'DELETE' && isSuccess(exchange);
}

/** MCP specifies that a 404 makes a client start a new session. */
function sessionGone(): Denial {
  return {
    kind: 'deny',
    type: 'not_found',
    message: 'this MCP session does not exist: start a new one with initialize',
  };
}

/** With this id, the client could use another key's session. */
function takenSession(): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: 'the MCP server returned a session id that belongs to another key',
  };
}
