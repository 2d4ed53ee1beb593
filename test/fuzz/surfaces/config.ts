import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { loadConfig } from '../../../src/config/load.ts';
import { maskConfig, serializeConfig } from '../../../src/config/print.ts';
import { ConfigError } from '../../../src/config/problems.ts';
import { found, mark } from '../../support/secret-search.ts';
import { mutated, mutations } from '../mutations.ts';
import type { Judge, Surface } from '../surface.ts';

/** Only letters: mutated into another word of letters, it stays valid. */
const SECRETS = {
  password: 'qzjxkvbwpfmgyhdlcnrt',
  signature: 'wvmzqkxjbpfgyhdlcnrtsa',
  approvals: 'kjhgfdszxcvbnmqwertyuioplk',
  header: 'mnbvcxzlkjhgfdsapoiuytr',
} as const;

const FILE = `# a gateway
server:
  port: 8081
  admin_host: 127.0.0.1
  log_level: info
  max_payload_bytes: 1048576
  dlp: { enabled: true, action: mask, allowed_hosts: [example.com], quarantine_duration: 1h }
redis:
  addr: localhost:6379
  password: ${SECRETS.password}
  read_timeout: 2s
signature: { enabled: true, type: hmac, secret: ${SECRETS.signature} }
zsp:
  escalation_enabled: true
  escalation_secret: "${SECRETS.approvals}"
session: { max_per_key: 3, drift_detection: { enabled: true, min_turns: 3, drift_score_threshold: 0.45 } }
mcp:
  enabled: true
  servers:
    - name: files
      url: https://mcp.example.com/mcp
      headers: { authorization: 'Bearer ${SECRETS.header}' }
rate_limit: { enabled: true, requests_per_minute: 60 }
alerting:
  thresholds:
    - { percent: 80, message: 'most of it is spent' }
`;

/** gateway.yaml mutated as a text: it is loaded, or refused with messages that quote no secret. */
const cases = fc.record({ changes: mutations(4) });

export const config: Surface<FuzzedFile> = {
  cases,
  mayTakeLong: true,
  open() {
    const directory = mkdtempSync(join(tmpdir(), 'gw-fuzz-'));
    const path = join(directory, 'gateway.yaml');
    return Promise.resolve({
      run: ({ changes }) => Promise.resolve(loaded(path, mutated(Buffer.from(FILE), changes))),
      close() {
        rmSync(directory, { recursive: true, force: true });
        return Promise.resolve();
      },
    });
  },
};

const MARKED = Object.entries(SECRETS).map(([name, secret]) => mark(name, secret));

function loaded(path: string, bytes: Buffer): Judge {
  writeFileSync(path, bytes);
  let told = '';
  try {
    told = JSON.stringify(serializeConfig(maskConfig(loadConfig({ path, env: {} }).config)));
  } catch (failure) {
    if (!(failure instanceof ConfigError))
      return () => {
        throw new Error('gateway.yaml fails by a fault', { cause: failure });
      };
    told = failure.message;
  }
  return () => {
    const seen = found(MARKED, told);
    if (seen.length > 0) throw new Error(`a secret is told (${seen.join()}): ${told}`);
  };
}

type FuzzedFile = typeof cases extends fc.Arbitrary<infer Case> ? Case : never;
