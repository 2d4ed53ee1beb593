import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort } from './ports.ts';
import { findPrometheus } from './prometheus.ts';

export interface TestPrometheus {
  /** Returns the values of an instant query, NaN left out. */
  query(expression: string): Promise<number[]>;
  /** Returns the names of the alerts that fire. */
  firing(): Promise<string[]>;
  close(): Promise<void>;
}

/** A real Prometheus that scrapes `target` every second and has these rules. */
export async function startPrometheus(target: string, rulesFile: string): Promise<TestPrometheus> {
  const { prometheus } = await findPrometheus();
  const directory = await mkdtemp(join(tmpdir(), 'gw-test-prometheus-'));
  const configFile = join(directory, 'prometheus.yml');
  const settings = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [{ job_name: 'gateway', static_configs: [{ targets: [target] }] }],
  };
  await writeFile(configFile, stringify(settings));
  const address = `127.0.0.1:${String(await freePort())}`;
  const child = spawn(
    prometheus,
    [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const exited = new Promise((resolve) => child.once('exit', resolve));
  async function close(): Promise<void> {
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(force);
    await rm(directory, { recursive: true, force: true });
  }
  async function get<Data>(path: string): Promise<Data> {
    const { status, error, data } = (await (await fetch(`http://${address}/api/v1/${path}`)).json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data: Data;
    };
    if (status !== 'success') throw new Error(`Prometheus: ${error ?? status}: ${path}`);
    return data;
  }
  await ready(`http://${address}/-/ready`).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    query: async (expression) => {
      const { result } = await get<{ result: readonly { value: readonly [number, string] }[] }>(
        `query?query=${encodeURIComponent(expression)}`,
      );
      return result.map(({ value }) => Number(value[1])).filter((value) => !Number.isNaN(value));
    },
    firing: async () => {
      const { alerts } = await get<{
        alerts: readonly { state: string; labels: { readonly alertname: string } }[];
      }>('alerts');
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    },
    close,
  };
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok === true) return;
    await delay(100);
  }
  throw new Error('Prometheus is not ready in 20 s');
}
