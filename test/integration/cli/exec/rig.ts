import { spawn } from 'node:child_process';
import { dirname, delimiter, join } from 'node:path';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { beforeAll, afterAll, afterEach } from 'vitest';
import { gatewayProgram } from '../../../support/parts.ts';
import type { Recorder } from '../../../support/recorder.ts';

export const MAIN = await gatewayProgram();
export const PROXY_KEY = `gw-${'p'.repeat(43)}`;
export const PROVIDER_KEY = 'sk-the-real-key-of-the-provider';

export let folder: string;
export const running: Recorder[] = [];

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Call {
  readonly flags?: readonly string[];
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Called with the process once it has printed something. */
  readonly onOutput?: (text: string, pid: number) => void;
}

/** Runs `gateway exec <flags> -- <command>` as a user types it. */
export async function run({ flags = [], command, env = {}, stdin = '', onOutput }: Call): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, 'exec', ...flags, '--', ...command], {
    cwd: folder,
    env: {
      PATH: [folder, dirname(process.execPath), process.env['PATH']].join(delimiter),
      XDG_CACHE_HOME: folder,
      GATEWAY_PROVIDER: 'openai',
      GATEWAY_PROXY_KEY: PROXY_KEY,
      OPENAI_API_KEY: PROVIDER_KEY,
      ...env,
    },
  });
  const ended = once(child, 'close');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onOutput?.(stdout, child.pid ?? 0);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.end(stdin);
  const [code] = (await ended) as [number | null];
  return { code, stdout, stderr };
}

/** A program for `node -e`, with `ask` for a request as an SDK would send it. */
export function script(source: string): readonly string[] {
  const prelude = `
    const url = process.env.OPENAI_BASE_URL, key = process.env.OPENAI_API_KEY;
    const ask = (body, { path = '/chat/completions', base = url, ...init } = {}) => fetch(base + path, {
      method: 'POST', body, ...init,
      headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json', ...init.headers },
    });
    const show = async (answer) => console.log(answer.status, await answer.text());
  `;
  return ['node', '--input-type=module', '-e', prelude + source];
}
export function useRig(): void {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gw-exec-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(async () => {
    for (const one of running.splice(0)) await one.close();
  });
}
