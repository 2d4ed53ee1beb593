import { request } from '../node-http.ts';

/** Client for Envoy's admin interface on a unix socket that only this user can reach. */
export interface EnvoyAdmin {
  /** Resolves with status 0 if Envoy does not answer. */
  get(path: string): Promise<AdminAnswer>;
  post(path: string): Promise<AdminAnswer>;
}

export interface AdminAnswer {
  readonly status: number;
  readonly body: string;
}

const TIMEOUT_MS = 2_000;

export function createEnvoyAdmin(socketPath: string): EnvoyAdmin {
  const call = (method: string, path: string): Promise<AdminAnswer> =>
    new Promise((resolve) => {
      const unreachable: AdminAnswer = { status: 0, body: '' };
      const outgoing = request({ socketPath, method, path, timeout: TIMEOUT_MS, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', () => {
          resolve(unreachable);
        });
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
        });
      });
      outgoing.on('timeout', () => outgoing.destroy());
      outgoing.on('error', () => {
        resolve(unreachable);
      });
      outgoing.end();
    });
  return { get: (path) => call('GET', path), post: (path) => call('POST', path) };
}

/** Counts open requests on the client listeners; undefined if Envoy does not answer. */
export async function activeRequests(admin: EnvoyAdmin): Promise<number | undefined> {
  const answer = await admin.get('/stats?filter=downstream_rq_active');
  if (answer.status !== 200) return undefined;
  let active = 0;
  for (const [, prefix, count] of answer.body.matchAll(/^http\.(\w+)\.downstream_rq_active: (\d+)$/gm)) {
    // This call itself counts on the admin listener.
    if (prefix !== 'admin') active += Number(count);
  }
  return active;
}

/** Counts the sidecars that pass Envoy's health checks; undefined if Envoy does not answer. */
export async function healthySidecars(admin: EnvoyAdmin): Promise<number | undefined> {
  const answer = await admin.get('/stats?filter=^cluster\\.sidecar\\.membership_healthy$');
  const [, count] = /membership_healthy: (\d+)/.exec(answer.body) ?? [];
  return count === undefined ? undefined : Number(count);
}
