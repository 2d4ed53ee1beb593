import { request } from '../node-http.ts';

/** Envoy's admin interface on its unix socket; nobody but this process's user reaches it. */
export interface EnvoyAdmin {
  /** The answer's status; 0 where nothing answers. */
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

/** Requests that clients have open on the listeners of ours; undefined where Envoy does not answer. */
export async function activeRequests(admin: EnvoyAdmin): Promise<number | undefined> {
  const answer = await admin.get('/stats?filter=downstream_rq_active');
  if (answer.status !== 200) return undefined;
  let active = 0;
  for (const [, prefix, count] of answer.body.matchAll(/^http\.(\w+)\.downstream_rq_active: (\d+)$/gm)) {
    // This very question is a request on the admin listener.
    if (prefix !== 'admin') active += Number(count);
  }
  return active;
}

/** Sidecars that Envoy's health checks have found serving; undefined where Envoy does not answer. */
export async function healthySidecars(admin: EnvoyAdmin): Promise<number | undefined> {
  const answer = await admin.get('/stats?filter=^cluster\\.sidecar\\.membership_healthy$');
  const [, count] = /membership_healthy: (\d+)/.exec(answer.body) ?? [];
  return count === undefined ? undefined : Number(count);
}
