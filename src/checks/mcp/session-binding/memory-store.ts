import type { McpSession, McpSessionStore, Owner } from './store.ts';

export interface MemoryMcpSessionStoreOptions {
  readonly ttlMs: number;
  /** Unix ms. */
  readonly now?: () => number;
}

/** Sessions of MCP servers that this process alone has seen, for use without Redis. */
export function createMemoryMcpSessionStore({
  ttlMs,
  now = Date.now,
}: MemoryMcpSessionStoreOptions): McpSessionStore {
  const owners = new Map<string, { readonly keyHash: string; readonly endsAt: number }>();

  function claim(session: McpSession, mayBind: boolean): Owner {
    const name = nameOf(session);
    const known = owners.get(name);
    const owner = known !== undefined && known.endsAt > now() ? known.keyHash : undefined;
    if (owner === undefined && !mayBind) return 'nobody';
    if (owner !== undefined && owner !== session.keyHash) return 'foreign';
    owners.set(name, { keyHash: session.keyHash, endsAt: now() + ttlMs });
    return 'own';
  }

  return {
    bind: (session) => Promise.resolve(claim(session, true) === 'own' ? 'own' : 'foreign'),
    use: (session) => Promise.resolve(claim(session, false)),
    end(session) {
      if (owners.get(nameOf(session))?.keyHash === session.keyHash) owners.delete(nameOf(session));
      return Promise.resolve();
    },
  };
}

function nameOf({ server, sessionId }: McpSession): string {
  return `${server} ${sessionId}`;
}
