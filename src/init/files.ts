import { join } from 'node:path';

import type { PresetName } from '../policy/presets.ts';

/** Who calls the models: an application that people talk to, or an agent that works on files. */
export const PURPOSES = ['chat', 'agent'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** What a new gateway is told of. */
export interface Answers {
  readonly purpose: Purpose;
  readonly port: number;
  /** Undefined: plain HTTP on this machine, for development. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly presets: readonly PresetName[];
  readonly dlp: boolean;
  readonly redisPort: number;
}

/** `chat` is the default: it is the stricter one. */
export const DEFAULT_ANSWERS: Answers = {
  purpose: 'chat',
  port: 8080,
  tls: undefined,
  presets: ['safety'],
  dlp: true,
  redisPort: 6379,
};

/** The defaults of a purpose. For an agent, calls of MCP servers keep the rules that its files cannot have. */
export function defaultAnswers(purpose: Purpose): Answers {
  return purpose === 'chat'
    ? DEFAULT_ANSWERS
    : { ...DEFAULT_ANSWERS, purpose, presets: ['safety', 'mcp_sandbox'] };
}

/** Names of what is written. */
export const FILES = {
  config: 'gateway.yaml',
  compose: 'docker-compose.yml',
  /** Where docker compose already finds a file of another project. */
  ownCompose: 'docker-compose.gateway.yml',
  env: '.env',
  ignore: '.gitignore',
} as const;

/** Names under which docker compose finds a file by itself. */
export const COMPOSE_NAMES = ['compose.yaml', 'compose.yml', FILES.compose, 'docker-compose.yaml'] as const;

/** The variable that the compose file and gateway.yaml read; its line stands in `.env`. */
export const PASSWORD_VARIABLE = 'REDIS_PASSWORD';

/** `gateway.yaml`, with a comment on all that is decided in it. */
export function configText(answers: Answers): string {
  const { port, tls, presets, dlp, redisPort, purpose } = answers;
  return `# The AI firewall gateway, for ${purpose === 'chat' ? 'a chat application' : 'a coding agent'}. All keys and their defaults: gateway config print
# What is wrong here: gateway config check; with Redis and Envoy: gateway doctor

server:
  # ${tls === undefined ? 'This machine alone. With a certificate: 0.0.0.0, for clients elsewhere.' : 'Every address of this machine.'}
  host: ${tls === undefined ? '127.0.0.1' : '0.0.0.0'}
  port: ${String(port)}
  # Metrics and health.
  admin_host: 127.0.0.1
  admin_port: ${String(adminPort(port))}
${tlsText(tls)}
${purpose === 'chat' ? chatDlpText(dlp) : agentDlpText(dlp)}

# Redis 7 or newer holds keys, budgets, sessions and locks. It must not evict: the compose file beside this one sees to that.
redis:
  addr: localhost:${String(redisPort)}
  # From ${FILES.env}, which the gateway reads.
  password: \${${PASSWORD_VARIABLE}}

mcp:
  inspector:
${purpose === 'chat' ? '' : AGENT_INSPECTOR}    # Passwords by their names in what MCP servers answer: off, mask.
    credentials: mask
    # What the model of injections finds in these answers: off, flag (recorded), remove.
    learned_injections: ${purpose === 'chat' ? 'remove' : 'flag'}

policy:
  enabled: ${String(presets.length > 0)}
  # safety, pci, mcp_sandbox, zero_trust, safety_drift
  presets: [${presets.join(', ')}]
${purpose === 'chat' ? '' : overridesText(answers)}  # Cards and Rego of your own beside them:
  # policy_file: ./policies.yaml
  # policy_dir: ./policies

# warn: log repeated calls. block: refuse them.
loop_detection:
  action: warn

# Who asked, what was decided and found: gateway audit tail
audit:
  enabled: true

# A budget for keys that have none of their own is set in Redis: gateway budget set --daily 5
`;
}

function chatDlpText(isOn: boolean): string {
  return `  # What models write is searched for secrets and personal data, streams too.
  dlp:
    enabled: ${String(isOn)}
    # Not set: personal data is masked; a secret cuts the answer and locks the key.
    # action: mask
    scan_secrets: true
    scan_pii: true
    scan_network: false
    # Passwords by their names (DB_PASSWORD=…, postgres://user:…@host), in requests too: masked.
    scan_credentials: true
    requests: ${isOn ? 'mask' : 'off'}
    request_classes: [credentials]
    quarantine_duration: 1h
    # E-mail addresses of these domains are no personal data.
    allowed_hosts: []`;
}

function agentDlpText(isOn: boolean): string {
  return `  # Requests and answers are searched for secrets, in arguments and results of tools and in streams too.
  dlp:
    enabled: ${String(isOn)}
    # A secret is masked and never locks the key. Unset: it cuts the answer and locks the key.
    action: mask
    scan_secrets: true
    # Files that an agent reads and writes hold addresses and numbers, which must stay.
    scan_pii: false
    scan_network: false
    # Passwords by their names (DB_PASSWORD=…) are masked in requests; code that a model writes keeps its own.
    scan_credentials: true
    answer_classes: [secret]
    requests: ${isOn ? 'mask' : 'off'}
    # A secret in signed text or a base64 file cannot be masked, and stays in an agent's history: report, deny.
    request_unmaskable: report`;
}

const AGENT_INSPECTOR = `    # A secret in what MCP servers answer is masked, and neither locks nor scores: quarantine, mask, mask_unscored.
    secrets: mask_unscored
`;

/** Only rules of presets that are there: the gateway does not start with a name that means none. */
function overridesText({ presets, dlp }: Answers): string {
  const hasSafety = presets.includes('safety') || presets.includes('safety_drift');
  const modes = [
    ...(hasSafety ? SAFETY_FOR_AGENTS : []),
    ...(hasSafety && dlp ? ['safety/block-credentials: off # server.dlp masks them'] : []),
    ...(presets.includes('mcp_sandbox') && dlp ? ['mcp_sandbox/block-credentials: off'] : []),
  ];
  if (modes.length === 0) return '';
  return `  # What files of code may hold: report is written down and refuses nothing, off is not asked.
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
    return `  # Without a certificate the gateway starts with SERVER_INSECURE_DEV=true alone: keys travel in the clear.
  # tls:
  #   cert_file: ./tls/tls.crt
  #   key_file: ./tls/tls.key`;
  }
  return `  tls:
    cert_file: ${JSON.stringify(tls.certFile)}
    key_file: ${JSON.stringify(tls.keyFile)}`;
}

/** 9090 unless clients have that. */
function adminPort(port: number): number {
  return port === 9090 ? 9091 : 9090;
}

/** How a compose file of init begins. */
export const COMPOSE_HEAD = '# Redis for the gateway';

/** The same beside a compose file of another project: a project of its own, so that services do not replace each other. */
export function ownComposeText(answers: Answers): string {
  const text = composeText(answers).replace('compose up', `compose -f ${FILES.ownCompose} up`);
  return text.replace('services:', 'name: ai-firewall-gateway\nservices:');
}

/** The compose file of Redis: it evicts nothing, survives restarts, has a password, and listens on this machine alone. */
export function composeText({ redisPort }: Answers): string {
  return `${COMPOSE_HEAD}: docker compose up -d
# The password stands in ${FILES.env}.
services:
  redis:
    image: redis:7
    command:
      - sh
      - -c
      # Evicted keys would be forgotten budgets and locks; the append-only file survives a restart.
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
  /** How the gateway was called, such as `npm run -s gateway --`. */
  readonly program: string;
  /** As it was written; `.` is here. */
  readonly directory: string;
  /** Name of the compose file. */
  readonly compose: string;
}

/** The three commands that come next, as they work from where init was called. */
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
