import { MAX_MCP_SESSIONS, type McpSession, type McpSessionStore, type Owner } from './store.ts';

export interface MemoryMcpSessionStoreOptions {
  readonly ttlMs: number;
  readonly maxPerKey?: number;
  readonly now?: () => number;
}

export function createMemoryMcpSessionStore({
  ttlMs,
  maxPerKey = MAX_MCP_SESSIONS,
  now = Date.now,
}: MemoryMcpSessionStoreOptions): McpSessionStore {
  /** Ordered by last use, oldest first. */
  const owners = new Map<string, { readonly keyHash: string; readonly endsAt: number }>();

  function claim(session: McpSession, mayBind: boolean): Owner {
    const name = entryName(session);
    const known = owners.get(name);
    const owner = known !== undefined && known.endsAt > now() ? known.keyHash : undefined;
    if (owner === undefined && !mayBind) return 'unowned';
    if (owner !== undefined && owner !== session.keyHash) return 'foreign';
    owners.delete(name);
    owners.set(name, { keyHash: session.keyHash, endsAt: now() + ttlMs });
    if (owner === undefined) forgetBeyond(session.keyHash);
    return 'own';
  }

  function forgetBeyond(keyHash: string): void {
    const own = [...owners].filter(([, known]) => known.keyHash === keyHash);
    for (const [name] of own.slice(0, Math.max(own.length - maxPerKey, 0))) owners.delete(name);
  }

  return {
    bind: (session) => Promise.resolve(claim(session, true) === 'own' ? 'own' : 'foreign'),
    use: (session) => Promise.resolve(claim(session, false)),
    end(session) {
      if (owners.get(entryName(session))?.keyHash === session.keyHash) owners.delete(entryName(session));
      return Promise.resolve();
    },
  };
}

function entryName({ server, sessionId }: McpSession): string {
  return `${server} ${sessionId}`;
}
