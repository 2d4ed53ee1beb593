import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { onLoopback } from './loopback.ts';

/** The parts of Vault's HTTP API that a reader of secrets uses, as documented. */
export interface VaultServer {
  readonly address: string;
  /** Requests so far: `POST auth/kubernetes/login`. */
  readonly requests: string[];
  /** Secrets by path below `/v1/`. Those below `database/` are leased. */
  readonly secrets: Map<string, Readonly<Record<string, string>>>;
  /** Answers 503 to everything. */
  isSealed: boolean;
  /** Redirects everything to another node, as a standby does. */
  movedTo: string | undefined;
  /** Maximum total lifetime of a lease, in seconds. */
  maxLeaseSeconds: number;
  /** Valid tokens, with their expiries in Unix ms. */
  readonly tokens: Map<string, number>;
  close(): Promise<void>;
}

export interface VaultServerOptions {
  readonly tls?: ServerOptions;
  /** The JWT with which the role `gateway` may sign in. */
  readonly jwt: string;
  readonly now?: () => number;
  /** Lifetime of a token in seconds. */
  readonly tokenSeconds?: number;
  readonly leaseSeconds?: number;
}

interface Lease {
  readonly token: string;
  readonly begun: number;
  endsAt: number;
}

export async function startVaultServer(options: VaultServerOptions): Promise<VaultServer> {
  const { tls, jwt, now = Date.now, tokenSeconds = 3_600, leaseSeconds = 600 } = options;
  const leases = new Map<string, Lease>();
  let count = 0;
  const server: Server = tls === undefined ? createServer() : createTlsServer(tls);
  const { url, close } = await onLoopback(server);
  const vault: VaultServer = {
    address: url.replace('127.0.0.1', 'localhost'),
    requests: [],
    secrets: new Map(),
    isSealed: false,
    movedTo: undefined,
    maxLeaseSeconds: 3_600,
    tokens: new Map(),
    close,
  };

  type Answer = readonly [status: number, body: object];
  const refused: Answer = [403, { errors: ['permission denied'] }];

  function grantToken(value: string): Answer {
    vault.tokens.set(value, now() + tokenSeconds * 1_000);
    return [200, { auth: { client_token: value, lease_duration: tokenSeconds, renewable: true } }];
  }

  function renewLease(id: unknown): Answer {
    const lease = leases.get(String(id));
    if (lease === undefined || lease.endsAt <= now()) return [400, { errors: ['lease not found'] }];
    const last = lease.begun + vault.maxLeaseSeconds * 1_000;
    lease.endsAt = Math.min(now() + leaseSeconds * 1_000, last);
    const left = Math.round((lease.endsAt - now()) / 1_000);
    return [200, { lease_id: id, lease_duration: left, renewable: true }];
  }

  function readSecret(path: string, token: string): Answer {
    const secret = vault.secrets.get(path);
    if (secret === undefined) return [404, { errors: [] }];
    if (path.startsWith('database/')) {
      const id = `${path}/${String((count += 1))}`;
      leases.set(id, { token, begun: now(), endsAt: now() + leaseSeconds * 1_000 });
      return [200, { lease_id: id, lease_duration: leaseSeconds, renewable: true, data: secret }];
    }
    const data = path.startsWith('secret/data/') ? { data: secret, metadata: { version: 1 } } : secret;
    return [200, { lease_id: '', lease_duration: 2_764_800, renewable: false, data }];
  }

  function answer(method: string, path: string, token: string, body: Record<string, unknown>): Answer {
    if (path === 'auth/kubernetes/login') {
      if (body['role'] !== 'gateway' || body['jwt'] !== jwt)
        return [400, { errors: ['invalid role or JWT'] }];
      return grantToken(`hvs.token-${String((count += 1))}`);
    }
    if ((vault.tokens.get(token) ?? 0) <= now()) {
      for (const [id, lease] of leases) if (lease.token === token) leases.delete(id);
      return refused;
    }
    if (path === 'auth/token/renew-self') return grantToken(token);
    if (path === 'sys/leases/renew' && method === 'PUT') return renewLease(body['lease_id']);
    return method === 'GET' ? readSecret(path, token) : [405, { errors: [] }];
  }

  server.on('request', (request: IncomingMessage, response) => {
    void buffer(request).then((bytes) => {
      const path = (request.url ?? '').replace(/^\/v1\//, '');
      vault.requests.push(`${request.method ?? ''} ${path}`);
      if (vault.movedTo !== undefined)
        return response.writeHead(307, { location: `${vault.movedTo}/v1/${path}` }).end();
      const body = bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Record<string, unknown>);
      const token = String(request.headers['x-vault-token'] ?? '');
      const [status, said] = vault.isSealed
        ? ([503, { errors: ['Vault is sealed'] }] as const)
        : answer(request.method ?? '', path, token, body);
      return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    });
  });
  return vault;
}
