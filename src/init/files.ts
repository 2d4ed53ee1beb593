import type { PresetName } from '../policy/presets.ts';

/** What a new gateway is told of. */
export interface Answers {
  readonly port: number;
  /** Undefined: plain HTTP on this machine, for development. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly presets: readonly PresetName[];
  readonly dlp: boolean;
  readonly redisPort: number;
}

export const DEFAULT_ANSWERS: Answers = {
  port: 8080,
  tls: undefined,
  presets: ['safety'],
  dlp: true,
  redisPort: 6379,
};

/** Names of what is written. */
export const FILES = { config: 'gateway.yaml', compose: 'docker-compose.yml', env: '.env' } as const;

/** The variable that the compose file and gateway.yaml read; its line stands in `.env`. */
export const PASSWORD_VARIABLE = 'REDIS_PASSWORD';

/** `gateway.yaml`, with a comment on all that is decided in it. */
export function configText({ port, tls, presets, dlp, redisPort }: Answers): string {
  return `# The AI firewall gateway. All keys and their defaults: gateway config print
# What is wrong here: gateway config check; with Redis and Envoy: gateway doctor

server:
  # ${tls === undefined ? 'This machine alone. With a certificate: 0.0.0.0, for clients elsewhere.' : 'Every address of this machine.'}
  host: ${tls === undefined ? '127.0.0.1' : '0.0.0.0'}
  port: ${String(port)}
  # Metrics and health.
  admin_host: 127.0.0.1
  admin_port: ${String(adminPort(port))}
${tlsText(tls)}
  # What models write is searched for secrets and personal data, streams too.
  dlp:
    enabled: ${String(dlp)}
    # Not set: personal data is masked; a secret cuts the answer and locks the key.
    # action: mask
    scan_secrets: true
    scan_pii: true
    scan_network: false
    # Passwords by their names (DB_PASSWORD=…, postgres://user:…@host), in requests too: masked.
    scan_credentials: true
    requests: ${dlp ? 'mask' : 'off'}
    request_classes: [credentials]
    quarantine_duration: 1h
    # E-mail addresses of these domains are no personal data.
    allowed_hosts: []

# Redis 7 or newer holds keys, budgets, sessions and locks. It must not evict: ${FILES.compose} sees to that.
redis:
  addr: localhost:${String(redisPort)}
  # From ${FILES.env}, which must be in the environment.
  password: \${${PASSWORD_VARIABLE}}

mcp:
  inspector:
    # Passwords by their names in what MCP servers answer: off, mask.
    credentials: mask

policy:
  enabled: ${String(presets.length > 0)}
  # safety, pci, mcp_sandbox, zero_trust, safety_drift
  presets: [${presets.join(', ')}]
  # Cards and Rego of your own beside them:
  # policy_file: ./policies.yaml
  # policy_dir: ./policies

# Repeated calls are told of; block refuses them.
loop_detection:
  action: warn

# A budget for keys that have none of their own is set in Redis: gateway budget set --daily 5
`;
}

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

/** The compose file of Redis: it evicts nothing, survives restarts, has a password, and listens on this machine alone. */
export function composeText({ redisPort }: Answers): string {
  return `# Redis for the gateway: docker compose up -d
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

/** The three commands that come next. */
export function nextCommands({ tls }: Answers): readonly string[] {
  return [
    'docker compose up -d',
    `set -a; . ./${FILES.env}; set +a; gateway keys create --name me --provider openai`,
    tls === undefined ? 'SERVER_INSECURE_DEV=true gateway serve' : 'gateway serve',
  ];
}
