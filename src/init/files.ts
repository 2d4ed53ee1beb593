import { join } from 'node:path';

import type { PresetName } from '../policy/presets.ts';

/** `chat`: an application for people. `agent`: a coding agent that works on files. */
export const PURPOSES = ['chat', 'agent'] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface Answers {
  readonly purpose: Purpose;
  readonly port: number;
  /** Undefined for plain HTTP on this machine, for development. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly presets: readonly PresetName[];
  readonly dlp: boolean;
  readonly redisPort: number;
}

/** `chat` is the default because it is stricter. */
export const DEFAULT_ANSWERS: Answers = {
  purpose: 'chat',
  port: 8080,
  tls: undefined,
  presets: ['safety'],
  dlp: true,
  redisPort: 6379,
};

/** For agents, `mcp_sandbox` stays strict for MCP calls where `overridesText` relaxes `safety`. */
export function defaultAnswers(purpose: Purpose): Answers {
  return purpose === 'chat'
    ? DEFAULT_ANSWERS
    : { ...DEFAULT_ANSWERS, purpose, presets: ['safety', 'mcp_sandbox'] };
}

export const FILES = {
  config: 'gateway.yaml',
  compose: 'docker-compose.yml',
  /** Used if the folder contains another project's compose file. */
  ownCompose: 'docker-compose.gateway.yml',
  env: '.env',
  ignore: '.gitignore',
} as const;

/** Names that docker compose finds automatically. */
export const COMPOSE_NAMES = ['compose.yaml', 'compose.yml', FILES.compose, 'docker-compose.yaml'] as const;

/** Read by the compose file and gateway.yaml, set in `.env`. */
export const PASSWORD_VARIABLE = 'REDIS_PASSWORD';

export function configText(answers: Answers): string {
  const { port, tls, presets, dlp, redisPort, purpose } = answers;
  return `# The AI firewall gateway, for ${purpose === 'chat' ? 'a chat application' : 'a coding agent'}. All keys and their defaults: gateway config print
# Check this file: gateway config check; with Redis and Envoy: gateway doctor

server:
  # ${tls === undefined ? 'This machine only. With a certificate, use 0.0.0.0 to serve other clients.' : 'All addresses of this machine.'}
  host: ${tls === undefined ? '127.0.0.1' : '0.0.0.0'}
  port: ${String(port)}
  # Metrics and health.
  admin_host: 127.0.0.1
  admin_port: ${String(adminPort(port))}
${tlsText(tls)}
${purpose === 'chat' ? chatDlpText(dlp) : agentDlpText(dlp)}

# Redis 7 or newer holds keys, budgets, sessions and locks. It must not evict keys; the compose file here configures that.
redis:
  addr: localhost:${String(redisPort)}
  # From ${FILES.env}, which the gateway reads.
  password: \${${PASSWORD_VARIABLE}}

mcp:
  inspector:
${purpose === 'chat' ? '' : AGENT_INSPECTOR}    # Passwords in MCP server answers, recognized by name: off, mask.
    credentials: mask
    # Injections that the model detects in these answers: off, flag (record), remove.
    learned_injections: ${purpose === 'chat' ? 'remove' : 'flag'}

policy:
  enabled: ${String(presets.length > 0)}
  # safety, pci, mcp_sandbox, zero_trust, safety_drift
  presets: [${presets.join(', ')}]
${purpose === 'chat' ? '' : overridesText(answers)}  # Your own cards and Rego:
  # policy_file: ./policies.yaml
  # policy_dir: ./policies

# warn: log repeated calls. block: refuse them.
loop_detection:
  action: warn

# Requests, decisions and findings: gateway audit tail
audit:
  enabled: true

# Default budget of keys without their own, stored in Redis: gateway budget set --daily 5
`;
}

function chatDlpText(isOn: boolean): string {
  return `  # Scan answers, including streamed ones, for secrets and personal data.
  dlp:
    enabled: ${String(isOn)}
    # If unset, personal data is masked; a secret cuts off the answer and locks the key.
    # action: mask
    scan_secrets: true
    scan_pii: true
    scan_network: false
    # Mask passwords recognized by name (DB_PASSWORD=…, postgres://user:…@host), also in requests.
    scan_credentials: true
    requests: ${isOn ? 'mask' : 'off'}
    request_classes: [credentials]
    quarantine_duration: 1h
    # Email addresses of these domains are not personal data.
    allowed_hosts: []`;
}

function agentDlpText(isOn: boolean): string {
  return `  # Scan requests and answers for secrets, including tool arguments, tool results and streams.
  dlp:
    enabled: ${String(isOn)}
    # A secret is masked and never locks the key. If unset, a secret cuts off the answer and locks the key.
    action: mask
    scan_secrets: true
    # Addresses and numbers in an agent's files must not be masked.
    scan_pii: false
    scan_network: false
    # Mask passwords recognized by name (DB_PASSWORD=…) in requests, but not in code that a model writes.
    scan_credentials: true
    answer_classes: [secret]
    requests: ${isOn ? 'mask' : 'off'}
    # A secret in signed text or a base64 file cannot be masked, and stays in an agent's history: report, deny.
    request_unmaskable: report`;
}

const AGENT_INSPECTOR = `    # A secret in an MCP server's answer is masked, without a lock or a risk score: quarantine, mask, mask_unscored.
    secrets: mask_unscored
`;

/** Lists only rules of enabled presets, because the gateway refuses to start with unknown names. */
function overridesText({ presets, dlp }: Answers): string {
  const hasSafety = presets.includes('safety') || presets.includes('safety_drift');
  const modes = [
    ...(hasSafety ? SAFETY_FOR_AGENTS : []),
    ...(hasSafety && dlp ? ['safety/block-credentials: off # server.dlp masks them'] : []),
    ...(presets.includes('mcp_sandbox') && dlp ? ['mcp_sandbox/block-credentials: off'] : []),
  ];
  if (modes.length === 0) return '';
  return `  # Rules that source code often matches. report: record only; off: disabled.
  overrides:
${modes.map((mode) => `    ${mode}\n`).join('')}`;
}

const SAFETY_FOR_AGENTS = [
  'safety/mask-email: off',
  'safety/mask-phone: off',
  'safety/mask-ssn: off',
  'safety/mask-card: off',
  'safety/block-cvv: report',
  'safety/block-sql-injection: report',
  'safety/block-path-traversal: report',
  'safety/block-learned-injection: report',
  'safety/suspect-injection: report',
];

function tlsText(tls: Answers['tls']): string {
  if (tls === undefined) {
    return `  # Without a certificate, the gateway starts only with SERVER_INSECURE_DEV=true, and keys are sent unencrypted.
  # tls:
  #   cert_file: ./tls/tls.crt
  #   key_file: ./tls/tls.key`;
  }
  return `  tls:
    cert_file: ${JSON.stringify(tls.certFile)}
    key_file: ${JSON.stringify(tls.keyFile)}`;
}

function adminPort(port: number): number {
  return port === 9090 ? 9091 : 9090;
}

/** Start of a compose file written by init. */
export const COMPOSE_HEAD = '# Redis for the gateway';

/** Returns a compose file for a folder that already has one: a separate project, which replaces no services. */
export function ownComposeText(answers: Answers): string {
  const text = composeText(answers).replace('compose up', `compose -f ${FILES.ownCompose} up`);
  return text.replace('services:', 'name: ai-firewall-gateway\nservices:');
}

/** Returns the compose file for Redis: no eviction, persistence, a password, loopback only. */
export function composeText({ redisPort }: Answers): string {
  return `${COMPOSE_HEAD}: docker compose up -d
# The password is in ${FILES.env}.
services:
  redis:
    image: redis:7
    command:
      - sh
      - -c
      # Evicting keys would lose budgets and locks. The append-only file survives a restart.
      - exec redis-server --appendonly yes --maxmemory-policy noeviction --requirepass "$$${PASSWORD_VARIABLE}"
    environment:
      ${PASSWORD_VARIABLE}: \${${PASSWORD_VARIABLE}:?set it in ${FILES.env}}
    ports: ['127.0.0.1:${String(redisPort)}:6379']
    volumes: [redis-data:/data]
    healthcheck:
      test: [CMD-SHELL, 'REDISCLI_AUTH="$$${PASSWORD_VARIABLE}" redis-cli ping | grep -q PONG']
      interval: 5s
      timeout: 3s
      retries: 5
    restart: unless-stopped

volumes:
  redis-data:
`;
}

export interface Place {
  /** The command that runs the gateway, such as `npm run -s gateway --`. */
  readonly program: string;
  /** The folder in the form given by the user; `.` is the current folder. */
  readonly directory: string;
  readonly compose: string;
}

/** Returns the next three commands, relative to the current folder. */
export function nextCommands({ tls }: Answers, { program, directory, compose }: Place): readonly string[] {
  const isHere = directory === '.';
  const composeFile = isHere && compose === FILES.compose ? '' : ` -f ${shellWord(join(directory, compose))}`;
  const gateway = isHere ? program : `${program} --config ${shellWord(join(directory, FILES.config))}`;
  return [
    `docker compose${composeFile} up -d`,
    `${gateway} keys create --name me --provider openai`,
    `${tls === undefined ? 'SERVER_INSECURE_DEV=true ' : ''}${gateway} serve`,
  ];
}

function shellWord(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
