import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync } from 'node:zlib';

import type { ConfigInput } from '../../../src/config/schema.ts';
import { startOperatorPage, type OperatorPage } from '../../../src/operator/compose.ts';
import { createPagePassword } from '../../../src/operator/sign-in/password-store.ts';
import { createPageSessions } from '../../../src/operator/sign-in/session-store.ts';
import type { SignedIn } from '../../../src/operator/sign-in/roles.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { defaultConfig } from '../default-config.ts';
import { freePort } from '../ports.ts';
import type { TestRedis } from '../redis.ts';

/** Sessions created by `visitor` require a configured way to sign in. No test here uses the provider. */
const OIDC = {
  issuer: 'http://127.0.0.1:9',
  client_id: 'page',
  roles: { admins: 'admin', viewers: 'viewer' },
} as const;

export const PASSWORD = 'correct horse battery';

export interface PageAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json<T = Readonly<Record<string, unknown>>>(): T;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: unknown;
}

/** A browser or program that is signed in: its requests send the cookie, its changes the CSRF token. */
export interface Visitor {
  readonly cookie: string;
  readonly csrf: string;
  ask(path: string, asked?: Asked): Promise<PageAnswer>;
}

/** The operator's page, served in this process on a real Redis. */
export interface TestPage {
  readonly port: number;
  readonly origin: string;
  readonly page: OperatorPage;
  /** The complete log. */
  logs(): string;
  /** Sends the path unchanged. */
  ask(path: string, asked?: Asked): Promise<PageAnswer>;
  /** Signs in with the password. */
  signIn(): Promise<Visitor>;
  /** A session of this person, as after a sign-in. */
  visitor(who: Partial<SignedIn>): Promise<Visitor>;
  close(): Promise<void>;
}

/** @param built folder of the built page; by default a page of one file, which is enough for the API */
export async function startTestPage(
  redis: TestRedis,
  config: ConfigInput = {},
  built?: string,
): Promise<TestPage> {
  const folder = built ?? smallPage();
  const port = config.ui?.port ?? (await freePort());
  const whole = defaultConfig(
    { redis: { addr: redis.addr }, ...config, ui: { enabled: true, oidc: OIDC, ...config.ui, port } },
    { SERVER_INSECURE_DEV: 'true' },
  );
  const lines: string[] = [];
  const log = createLogger('info', {}, { write: (line) => void lines.push(line) });
  const page = await startOperatorPage({ config: whole, tls: undefined, version: '1.2.3', folder, log });
  const origin = `http://127.0.0.1:${String(port)}`;
  const ask = (path: string, asked: Asked = {}) => send(port, path, asked);
  const { idle, absolute } = whole.ui.session;
  const stores = { client: redis.client, deadlineMs: 5_000 };
  const sessions = createPageSessions({ ...stores, idleMs: idle, absoluteMs: absolute });

  function visitorOf(cookie: string, csrf: string): Visitor {
    return {
      cookie,
      csrf,
      ask: (path, { headers = {}, ...asked } = {}) =>
        ask(path, { ...asked, headers: { cookie, 'x-csrf-token': csrf, ...headers } }),
    };
  }
  return {
    port,
    origin,
    page,
    logs: () => lines.join(''),
    ask,
    signIn: async () => {
      await createPagePassword(stores).set(PASSWORD);
      const answer = await ask('/api/sign-in', { method: 'POST', body: { password: PASSWORD } });
      if (answer.status !== 204) throw new Error(`cannot sign in: ${answer.text}`);
      const cookie = String(answer.headers['set-cookie']?.[0]?.split(';')[0]);
      const me = await ask('/api/me', { headers: { cookie } });
      return visitorOf(cookie, me.json<{ csrf_token: string }>().csrf_token);
    },
    visitor: async (who) => {
      const { id, session } = await sessions.begin({
        subject: 'ada',
        name: 'Ada',
        role: 'viewer',
        kind: 'oidc',
        ...who,
      });
      return visitorOf(`__Host-gateway-session=${id}`, session.csrf);
    },
    close: async () => {
      await page.close();
      if (built === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Uses node:http, because fetch sends neither a path with `..` nor another Host. */
function send(port: number, path: string, { method = 'GET', headers, body }: Asked): Promise<PageAnswer> {
  const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const all = {
    host: `127.0.0.1:${String(port)}`,
    ...(sent !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(sent),
    }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, method, headers: all, agent: false },
      (response) => {
        text(response).then((written) => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: written,
            json: <T>() => JSON.parse(written) as T,
          });
        }, reject);
      },
    );
    asked.on('error', reject);
    asked.end(sent);
  });
}

const INDEX = '<!doctype html><title>Gateway</title>';

/** A folder like the output of the page's build, with one file. */
function smallPage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gw-test-page-'));
  writeFileSync(join(folder, 'index.html'), INDEX);
  writeFileSync(join(folder, 'index.html.br'), brotliCompressSync(INDEX));
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify([{ path: '/', file: 'index.html', type: 'text/html; charset=utf-8' }]),
  );
  return folder;
}
