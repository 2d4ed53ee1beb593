import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort } from '../../src/runtime/free-port.ts';
import { pypi } from '../support/clients/recipe.ts';
import { MEASURED_CORE, pin } from './machine.ts';
import type { Parts } from './parts.ts';
import { askPeer, installPeer, untilAnswered } from './peer.ts';
import { redisKeys } from './redis-counts.ts';
import { CHAT, type MissingRig, type Rig } from './rig.ts';

const VERSION = '1.108.7';
const LITELLM = pypi('litellm', VERSION, [`litellm[proxy]==${VERSION}`]);
export const LITELLM_NAME = 'LiteLLM with a key, filter and budget';

/** LiteLLM's prebuilt patterns that are closest to those of Portkey's guards. */
const PATTERNS = [
  'us_ssn',
  'credit_card',
  'email',
  'us_phone',
  'aws_access_key',
  'github_token',
  'generic_api_key',
];
const BLOCKED_WORDS = ['ignore previous instructions'];
const DENIED_PROMPT = 'My number is 536-90-4399, please note it.';
const MASTER_KEY = 'sk-bench-master';

/** Starts LiteLLM's proxy, and proves by requests that its filter denies and its budget counts in Redis. */
export async function startLiteLlm(parts: Parts): Promise<Rig | MissingRig> {
  const home = await installPeer(LITELLM);
  if ('missing' in home) return { name: LITELLM_NAME, missing: home.missing };
  const port = await freePort();
  const config = join(parts.directory, 'litellm.yaml');
  writeFileSync(config, stringify(proxyConfig(parts)));
  const bin = join(home.home, 'venv', 'bin');
  const child = spawn(
    join(bin, 'litellm'),
    ['--config', config, '--host', '127.0.0.1', '--port', String(port)],
    {
      cwd: parts.directory,
      stdio: ['ignore', 'ignore', 'ignore'],
      env: {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        HOME: parts.directory,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        LITELLM_TELEMETRY: 'False',
        LITELLM_LOG: 'ERROR',
      },
    },
  );
  parts.stops.push(() => void child.kill());
  const rig: Rig = {
    name: LITELLM_NAME,
    port,
    path: CHAT,
    share: 0.1,
    headers: { authorization: `Bearer ${MASTER_KEY}` },
    processes: [
      { part: 'python', pid: child.pid ?? 0 },
      { part: 'redis', pid: parts.redisPid },
    ],
  };
  await untilAnswered('LiteLLM', rig, 120);
  await proveWork(rig, parts.redisPort);
  pin(child.pid ?? 0, MEASURED_CORE);
  return rig;
}

function proxyConfig({ providerPort, redisPort }: Parts): object {
  return {
    model_list: [
      {
        model_name: 'gpt-4o-mini',
        litellm_params: {
          model: 'openai/gpt-4o-mini',
          api_base: `http://127.0.0.1:${String(providerPort)}/v1`,
          api_key: 'sk-bench',
        },
      },
    ],
    guardrails: [
      {
        guardrail_name: 'bench',
        litellm_params: {
          guardrail: 'litellm_content_filter',
          mode: 'pre_call',
          default_on: true,
          patterns: PATTERNS.map((name) => ({
            pattern_type: 'prebuilt',
            pattern_name: name,
            action: 'BLOCK',
          })),
          blocked_words: BLOCKED_WORDS.map((keyword) => ({ keyword, action: 'BLOCK' })),
        },
      },
    ],
    router_settings: {
      provider_budget_config: { openai: { budget_limit: 1_000_000, time_period: '1d' } },
      redis_host: '127.0.0.1',
      redis_port: redisPort,
    },
    general_settings: { master_key: MASTER_KEY },
  };
}

/** Proves that the filter denies, an unknown key is refused, and spend is counted in Redis (written every few seconds). */
async function proveWork(rig: Rig, redisPort: number): Promise<void> {
  const statuses = {
    denied: await askPeer(rig, DENIED_PROMPT),
    passed: await askPeer(rig, 'Please go on.'),
    stranger: await askPeer({ ...rig, headers: { authorization: 'Bearer sk-unknown' } }, 'Please go on.'),
  };
  if (statuses.denied < 400 || statuses.passed !== 200 || statuses.stranger < 400)
    throw new Error(`LiteLLM does not judge: ${JSON.stringify(statuses)}`);
  for (let attempt = 0; attempt < 150; attempt++) {
    if ((await redisKeys(redisPort, 'provider_spend:*')).length > 0) return;
    await sleep(200);
  }
  throw new Error('LiteLLM keeps no spend in Redis');
}
