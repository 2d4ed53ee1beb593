import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../../../src/config/environment.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { LoadedConfig } from '../../../src/config/load.ts';
import { ConfigError } from '../../../src/config/problems.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-config-'));
  path = join(folder, 'gateway.yaml');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function load(yaml: string, env: Environment = {}, argvOverrides: ConfigInput = {}): LoadedConfig {
  writeFileSync(path, yaml);
  return loadConfig({ path, env, argvOverrides });
}

/** The problems of a file, with `L:C` for its own name. */
function problems(yaml: string, env: Environment = {}): string[] {
  try {
    load(yaml, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replaceAll(`${path}:`, '').split('\n');
  }
  return [];
}

const ZSP = 'zsp: {enabled: true, issuer: i, audience: a';

describe('a configuration file', () => {
  it('overrides the defaults, key by key', () => {
    const { config } = load('server:\n  port: 9000\n  read_timeout: 1m\nredis: {db: 2}\n');
    expect(config.server).toMatchObject({ port: 9000, read_timeout: 60_000, admin_port: 9090 });
    expect(config.redis.db).toBe(2);
  });

  it.each(['', '# nothing\n', 'server:\n', 'server:\n  port:\n', '\uFEFFserver: {}\n', '---\n{}\n'])(
    'may leave everything open: %j',
    (yaml) => {
      expect(load(yaml).config.server.port).toBe(8080);
    },
  );

  it('is an error where --config names one that is not there', () => {
    expect(() => loadConfig({ path: join(folder, 'none.yaml'), env: {} })).toThrow(
      /none\.yaml: there is no such/,
    );
  });

  it('is an error where it cannot be read', () => {
    expect(() => loadConfig({ path: folder, env: {} })).toThrow(/cannot be read \(EISDIR\)/);
  });

  it('says which keys were written, and where', () => {
    const { sources } = load('server:\n  port: 9000\nmcp:\n', { REDIS_ADDR: 'r:1' }, { redis: { db: 3 } });
    const written = ['server', 'server.port', 'redis.addr', 'redis.db'];
    const left = ['server.host', 'mcp', 'mcp.enabled', 'redis.password', 'nothing.at.all'];
    expect(written.map((key) => sources.explicitlySet(key))).toEqual(written.map(() => true));
    expect(left.map((key) => sources.explicitlySet(key))).toEqual(left.map(() => false));
    expect(sources.file).toBe(path);
    expect(sources.locate(['server', 'port'])).toBe(`${path}:2:3`);
    expect(sources.locate(['redis', 'addr'])).toBe('environment REDIS_ADDR');
    expect(sources.locate(['redis', 'db'])).toBe('command line');
  });
});

describe('the environment', () => {
  const env = {
    SERVER_PORT: '8081',
    SERVER_ADMIN_HOST: '0.0.0.0',
    SERVER_INSECURE_DEV: 'true',
    REDIS_ADDR: 'redis:6380',
    REDIS_PASSWORD: '12345',
    LOG_LEVEL: 'debug',
  };

  it('wins over the file', () => {
    const { config } = load('server: {port: 1, log_level: error}\nredis: {addr: "a:1"}\n', env);
    expect(config.server).toMatchObject({
      port: 8081,
      admin_host: '0.0.0.0',
      log_level: 'debug',
      insecure_dev: true,
    });
    expect(config.redis).toMatchObject({ addr: 'redis:6380', password: '12345' });
  });

  it('loses to the command line', () => {
    expect(load('', env, { server: { port: 7000 } }).config.server.port).toBe(7000);
  });

  it('does not count where it is empty', () => {
    const empty = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
    expect(load('server: {port: 99}', empty).config.server).toMatchObject({ port: 99, insecure_dev: false });
  });

  it('is named where its value is wrong', () => {
    expect(
      problems('', { SERVER_PORT: '80a', LOG_LEVEL: 'loud', REDIS_ADDR: 'x', SERVER_INSECURE_DEV: 'yes' }),
    ).toEqual([
      'environment LOG_LEVEL: server.log_level: must be one of debug, info, warn, error',
      'environment REDIS_ADDR: redis.addr: must be host:port or [IPv6]:port',
      'environment SERVER_INSECURE_DEV: must be true or false',
      'environment SERVER_PORT: server.port: must be a number',
    ]);
  });

  it('alone lifts the TLS requirement', () => {
    expect(problems('server:\n  insecure_dev: true\n')).toEqual([
      '2:3: server.insecure_dev: is set by the environment variable SERVER_INSECURE_DEV alone',
    ]);
  });
});

describe('a section', () => {
  it('of traces takes host:port or a URL, and nothing else', () => {
    for (const endpoint of ['collector:4317', '[::1]:4317', 'https://collector.example/otlp']) {
      expect(problems(`otel:\n  endpoint: '${endpoint}'\n`)).toEqual([]);
    }
    for (const endpoint of ['', 'collector', 'ftp://collector', 'http://']) {
      expect(problems(`otel:\n  endpoint: '${endpoint}'\n`), endpoint).toEqual([
        '2:3: otel.endpoint: must be host:port, or a URL that begins with http:// or https://',
      ]);
    }
  });

  it.each([
    ['audit:\n  required: true\n', '2:3: audit.required: '],
    ['audit:\n  file: /tmp/a\n', '2:3: audit.file: '],
  ])('of an audit trail that is switched off asks for nothing (%j)', (text, problem) => {
    expect(problems(text)).toEqual([
      `${problem}needs audit.enabled: true, without which nothing is recorded`,
    ]);
  });
});

describe('${ENV} in a value', () => {
  it('is filled in, and is a number or a boolean where one is meant', () => {
    const { config } = load(
      'server: {port: "${PORT}", shadow_mode: "${SHADOW}"}\nredis: {password: "${PORT}", read_timeout: "${RT:-3s}"}\n',
      { PORT: '9001', SHADOW: 'true' },
    );
    expect(config.server).toMatchObject({ port: 9001, shadow_mode: true });
    expect(config.redis).toMatchObject({ password: '9001', read_timeout: 3_000 });
  });

  it('may stand inside a text, and in a list', () => {
    const { config } = load('mcp: {servers: [{name: a, url: "https://${HOST}/${PATH_PART:-}x"}]}\n', {
      HOST: 'mcp.example',
    });
    expect(config.mcp.servers[0]?.url).toBe('https://mcp.example/x');
  });

  it('is not filled in twice, nor in names of keys', () => {
    const { config } = load('redis: {password: "${A}"}\npricing: {tools: {"${A}": 1}}\n', { A: '${B}' });
    expect(config.redis.password).toBe('${B}');
    expect(config.pricing.tools).toEqual({ '${A}': 1 });
  });

  it('has its default for an empty variable too', () => {
    expect(load('redis: {password: "${P:-x}"}', { P: '' }).config.redis.password).toBe('x');
    expect(load('redis: {password: "${P}"}', { P: '' }).config.redis.password).toBe('');
  });

  it('is literal after a dollar sign', () => {
    expect(load('redis: {password: "a$${P}$b"}').config.redis.password).toBe('a${P}$b');
  });

  it('is a problem where the variable is not set, or is none', () => {
    expect(problems('redis:\n  password: ${NOPE}\nserver:\n  port: ${no-name}\n')).toEqual([
      '2:13: redis.password: needs the environment variable NOPE, which is not set (${NOPE:-default} gives it a default)',
      '4:9: server.port: holds a ${…} that is neither ${NAME} nor ${NAME:-default} ($${ is a literal ${)',
    ]);
  });
});

describe('what is wrong', () => {
  it('comes all at once, in the order of the file', () => {
    const yaml = [
      'server:',
      '  prot: 80',
      '  read_timeout: 30',
      '  log_level: loud',
      '  extproc:',
      '    address: 0.0.0.0:99',
      'redis:',
      '  addr: nonsense',
      '  read_timeout: 40s',
      '  db: -1',
      'mcp:',
      '  servers:',
      '    - url: ftp://x',
      '    - {name: a, url: https://a.example}',
      'max_payload_bytes: 3',
      'pricing:',
      '  overrides:',
      '    gpt-x: {inptu: 3, input: "free"}',
      'session: none',
    ].join('\n');
    expect(problems(yaml)).toEqual([
      '2:3: server.prot: unknown key; did you mean port?',
      '3:3: server.read_timeout: must be a duration such as 250ms, 30s, 5m, 1h or 1h30m',
      '4:3: server.log_level: must be one of debug, info, warn, error',
      expect.stringMatching(/^6:5: server\.extproc\.address: over TCP needs mutual TLS/),
      '8:3: redis.addr: must be host:port or [IPv6]:port',
      expect.stringMatching(/^9:3: redis\.read_timeout: must be at most 29\.5s/),
      '10:3: redis.db: must be at least 0',
      '13:7: mcp.servers.0.name: must be a text',
      '13:7: mcp.servers.0.url: must be an http:// or https:// URL',
      '15:1: max_payload_bytes: unknown key here; did you mean server.max_payload_bytes?',
      '18:13: pricing.overrides.gpt-x.inptu: unknown key; did you mean input?',
      '18:23: pricing.overrides.gpt-x.input: must be a number',
      '19:1: session: must be a group of keys',
    ]);
  });

  it.each([
    ['server: {maxPayloadBytes: 1}', /did you mean max_payload_bytes\?/],
    ['server: {admin-port: 1}', /did you mean admin_port\?/],
    ['serve: {}', /unknown key; did you mean server\?/],
    ['providers: {opnai: {}}', /did you mean openai\?/],
    ['providers: {openai: {deployments: {}}}', /did you mean providers\.azure\.deployments\?/],
    ['zzzzzzzzzz: 1', /unknown key$/],
    ['server: {tls: {cert: a}}', /unknown key/],
  ])('names the nearest known key: %s', (yaml, message) => {
    expect(problems(yaml)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    ['a: [1', /not valid YAML/],
    ['server: {}\nserver: {}', /2:1: not valid YAML: duplicate key/],
    ['- a list', /1:1: must be a mapping/],
    ['just text', /1:1: must be a mapping/],
    ['server: *nothing', /not valid YAML|alias/],
  ])('is said of broken YAML: %s', (yaml, message) => {
    expect(problems(yaml).join('\n')).toMatch(message);
  });

  it('bounds aliases that multiply', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (let depth = 1; depth < 8; depth++) {
      const last = String.fromCharCode(96 + depth);
      const name = String.fromCharCode(97 + depth);
      bomb.push(`${name}: &${name} [${Array.from({ length: 10 }, () => `*${last}`).join(',')}]`);
    }
    expect(problems(bomb.join('\n')).join('\n')).toMatch(/too many YAML aliases/);
  });

  it('never shows a value, which may be a secret', () => {
    const secret = 'hunter2-hunter2';
    const yaml = `redis: {password: [${secret}], addr: ${secret}}\nserver: {extproc: {token: [${secret}]}, port: ${secret}}\nproviders: {openai: {base_url: "https://${secret}@x"}}\n`;
    const said = problems(yaml).join('\n');
    expect(said.split('\n')).toHaveLength(5);
    expect(said).not.toContain(secret);
  });
});

describe('rules that join keys', () => {
  it.each([
    ['redis: {read_timeout: 29501ms}', /read_timeout: must be at most 29\.5s/],
    ['server: {port: 9090}', /admin_port: must differ/],
    ['server: {tls: {cert_file: a}}', /server\.tls\.cert_file: needs both/],
    ['redis: {tls: {key_file: a}}', /redis\.tls\.key_file: needs both/],
    ['redis: {sentinel: {addrs: ["a:1"]}}', /needs redis\.sentinel\.master_name/],
    ['redis: {db: 1, cluster: {addrs: ["a:1"]}}', /redis\.db: must be 0 on a cluster/],
    ['redis: {wait_replicas: 1, wait_timeout: 2s}', /redis\.wait_timeout: must be under redis\.read_timeout/],
    ['proxy: {authorities: {api.openai.com: openai}}\nmcp: {enabled: true}', /mcp\.enabled/],
    ['redis: {cluster: {addrs: ["a:1"]}, sentinel: {addrs: ["a:1"], master_name: m}}', /cannot be used with/],
    ['providers: {openai: {base_url: "http://10.0.0.1"}}', /must be https/],
    ['providers: {azure: {base_url: "http://localhost.example"}}', /must be https/],
    ['risk_profile: {auto_quarantine_threshold: 95}', /must not be over/],
    [
      'mcp: {servers: [{name: a, url: "https://a"}, {name: a, url: "https://b"}]}',
      /servers\.1\.name: is the name/,
    ],
    ['mcp: {servers: [{name: "..", url: "https://a"}]}', /servers\.0\.name: must be 1 to 64/],
    ['mcp: {servers: [{name: a/b, url: "https://a"}]}', /servers\.0\.name: must be 1 to 64/],
    ['mcp: {servers: [{name: a, url: "http://10.0.0.1/mcp"}]}', /servers\.0\.url: must be https/],
    ['mcp: {servers: [{name: a, url: "https://u:p@a"}]}', /servers\.0\.url: must be a URL without user/],
    ['mcp: {servers: [{name: a, url: "https://a#b"}]}', /servers\.0\.url: must be a URL without user/],
    ['mcp: {servers: [{name: a, url: "https://a", headers: {Host: b}}]}', /headers\.Host: is a header that/],
    [
      'mcp: {servers: [{name: a, url: "https://a", headers: {Mcp-Session-Id: b}}]}',
      /headers\.Mcp-Session-Id: is a header that/,
    ],
    [
      'mcp: {servers: [{name: a, url: "https://a", headers: {X-Key: a, x-key: b}}]}',
      /headers\.x-key: is the name of an earlier header/,
    ],
    [
      'mcp: {servers: [{name: a, url: "https://a", headers: {x-key: "a\\nb"}}]}',
      /headers\.x-key: must be one line/,
    ],
    ['mcp: {allowed_origins: ["https://a/"]}', /allowed_origins\.0: must be an origin/],
    ['mcp: {allowed_origins: ["*"]}', /allowed_origins\.0: must be an origin/],
    [
      'mcp: {inspector: {custom_injection_patterns: [a, "(b"]}}',
      /patterns\.1: is no pattern that RE2 can match in linear time \(missing closing \)\)$/,
    ],
    [
      'mcp: {inspector: {custom_injection_patterns: ["(?=hunter2)"]}}',
      /patterns\.0: is no pattern that RE2 can match in linear time \(invalid or unsupported Perl syntax\)$/,
    ],
    [
      'mcp: {inspector: {custom_injection_patterns: ["a*"]}}',
      /patterns\.0: matches the empty text, and so everywhere$/,
    ],
    [
      'mcp: {servers: [{name: a, url: "https://a", suppress: [secrets, promt_injection]}]}',
      /suppress\.1: is no rule of the inspector; did you mean prompt_injection\?$/,
    ],
    [
      'mcp: {servers: [{name: a, url: "https://a", suppress: ["custom:1"]}], inspector: {custom_injection_patterns: [a]}}',
      /suppress\.0: is no rule of the inspector; did you mean custom:0\?$/,
    ],
    ['signature: {enabled: true}', /signature\.secret: must not be empty/],
    [`${ZSP}, jwks_url: ""}`, /zsp\.jwks_url: must not be empty/],
    ['zsp: {enabled: true, jwks_url: "https://j", audience: a}', /zsp\.issuer: must not be empty/],
    ['zsp: {enabled: true, jwks_url: "https://j", issuer: i}', /zsp\.audience: must not be empty/],
    [`${ZSP}, jwks_url: "http://issuer.example/jwks"}`, /zsp\.jwks_url: must be https/],
    [`${ZSP}, jwks_url: "https://u:p@j/"}`, /zsp\.jwks_url: must carry no user and password/],
    [`${ZSP}, jwks_url: "https://j", require_dpop: true}`, /require_dpop: needs server\.public_url/],
    ['zsp: {jwt_only: true}', /zsp\.jwt_only: does nothing without zsp\.enabled: true/],
    [
      'zsp: {require_dpop: true}\nserver: {public_url: "https://g"}',
      /zsp\.require_dpop: does nothing without zsp\.enabled: true/,
    ],
    ['zsp: {escalation_enabled: true}', /escalation_secret: must not be empty/],
    ['server: {extproc: {address: "10.0.0.1:9000", token: "0123456789abcdef"}}', /needs mutual TLS/],
    ['server: {extproc: {address: "127.0.0.1:9000"}}', /needs mutual TLS/],
    [`server: {extproc: {address: "unix:/${'a'.repeat(98)}"}}`, /at most 98 bytes/],
    [
      'server: {workers: 3, extproc: {address: "127.0.0.1:65534", token: "0123456789abcdef"}}',
      /leaves no port/,
    ],
    ['server: {extproc: {address: "10.0.0.1:9000", tls: {cert_file: a, key_file: b}}}', /needs mutual TLS/],
  ])('refuse %s', (yaml, message) => {
    expect(problems(yaml)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    'redis: {read_timeout: 29500ms}',
    `${ZSP}, jwks_url: "http://127.0.0.1:9/jwks", jwt_only: true}`,
    'providers: {openai: {base_url: "http://127.0.0.1:9/v1"}, groq: {base_url: "http://[::1]:9"}, mistral: {base_url: "http://localhost"}}',
    'providers: {ollama: {base_url: "http://10.0.0.1:11434"}, vllm: {base_url: "http://gpu"}}',
    'mcp: {servers: [{name: a.b-c_d, url: "http://localhost:8000/mcp?a=b", headers: {Authorization: Bearer x, x_y: "a b"}}]}',
    'mcp: {servers: [{name: a, url: "https://a", suppress: [secrets, path_traversal, tool_poisoning, custom, "custom:0", aws_access_key_id, persona, chat_delimiter, sensitive_target, concealment]}], inspector: {custom_injection_patterns: ["(?i)wire .{1,40} account"]}}',
    'mcp: {allowed_origins: ["https://app.example:8443", "http://[::1]:3000", "vscode-webview://abc"]}',
    'server: {extproc: {address: "127.0.0.1:9000", token: "0123456789abcdef"}}',
    'server: {extproc: {address: "10.0.0.1:9000", tls: {cert_file: a, key_file: b, ca_file: c}}}',
    'server: {extproc: {address: "unix:/run/gateway/sidecar.sock"}}',
  ])('accept %s', (yaml) => {
    expect(problems(yaml)).toEqual([]);
  });

  it('accept plain http to anywhere with SERVER_INSECURE_DEV', () => {
    expect(problems('providers: {openai: {base_url: "http://x"}}', { SERVER_INSECURE_DEV: 'true' })).toEqual(
      [],
    );
  });
});
