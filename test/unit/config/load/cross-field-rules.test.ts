import { describe, expect, it } from 'vitest';
import { problems, useRig } from './rig.ts';

useRig();

const ZSP = 'zsp: {enabled: true, issuer: i, audience: a';

describe('rules that join keys', () => {
  it.each([
    ['redis: {read_timeout: 29501ms}', /read_timeout: must be at most 29\.5s/],
    ['server: {port: 9090}', /admin_port: must differ/],
    ['server: {tls: {cert_file: a}}', /server\.tls\.cert_file: needs both/],
    ['server: {tls: {key_file: a}}', /server\.tls\.key_file: needs both/],
    ['server: {extproc: {tls: {cert_file: a}}}', /server\.extproc\.tls\.cert_file: needs both/],
    ['redis: {tls: {key_file: a}}', /redis\.tls\.key_file: needs both/],
    ['redis: {sentinel: {addrs: ["a:1"]}}', /needs redis\.sentinel\.master_name/],
    ['redis: {db: 1, cluster: {addrs: ["a:1"]}}', /redis\.db: must be 0 on a cluster/],
    [
      'redis: {wait_replicas: 1, wait_timeout: 2s}',
      /redis\.wait_timeout: must be less than redis\.read_timeout/,
    ],
    ['proxy: {authorities: {api.openai.com: openai}}\nmcp: {enabled: true}', /mcp\.enabled/],
    ['redis: {cluster: {addrs: ["a:1"]}, sentinel: {addrs: ["a:1"], master_name: m}}', /cannot be used with/],
    ['providers: {openai: {base_url: "http://10.0.0.1"}}', /must be https/],
    ['providers: {azure: {base_url: "http://localhost.example"}}', /must be https/],
    ['risk_profile: {auto_quarantine_threshold: 95}', /must not exceed/],
    [
      'mcp: {servers: [{name: a, url: "https://a"}, {name: a, url: "https://b"}]}',
      /servers\.1\.name: repeats the name/,
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
      /headers\.x-key: repeats the name of an earlier header/,
    ],
    [
      'mcp: {servers: [{name: a, url: "https://a", headers: {x-key: "a\\nb"}}]}',
      /headers\.x-key: must be one line/,
    ],
    ['mcp: {allowed_origins: ["https://a/"]}', /allowed_origins\.0: must be an origin/],
    ['mcp: {allowed_origins: ["*"]}', /allowed_origins\.0: must be an origin/],
    [
      'mcp: {inspector: {custom_injection_patterns: [a, "(b"]}}',
      /patterns\.1: cannot be matched by RE2 \(missing closing \)\)$/,
    ],
    [
      'mcp: {inspector: {custom_injection_patterns: ["(?=hunter2)"]}}',
      /patterns\.0: cannot be matched by RE2 \(invalid or unsupported Perl syntax\)$/,
    ],
    [
      'mcp: {inspector: {custom_injection_patterns: ["a*"]}}',
      /patterns\.0: matches the empty text and would match everywhere$/,
    ],
    [
      'mcp: {servers: [{name: a, url: "https://a", suppress: [secrets, promt_injection]}]}',
      /suppress\.1: is not an inspector rule; did you mean prompt_injection\?$/,
    ],
    [
      'mcp: {servers: [{name: a, url: "https://a", suppress: ["custom:1"]}], inspector: {custom_injection_patterns: [a]}}',
      /suppress\.0: is not an inspector rule; did you mean custom:0\?$/,
    ],
    [
      'mcp: {servers: [{name: a, url: "https://a/?tenant=b", headers: {X-Team: c}, public: [x-team, Tenant, x-taem]}]}',
      /public\.2: is not a header or parameter of this server; did you mean X-Team\?$/,
    ],
    ['signature: {enabled: true}', /signature\.secret: must not be empty/],
    [`${ZSP}, jwks_url: ""}`, /zsp\.jwks_url: must not be empty/],
    ['zsp: {enabled: true, jwks_url: "https://j", audience: a}', /zsp\.issuer: must not be empty/],
    ['zsp: {enabled: true, jwks_url: "https://j", issuer: i}', /zsp\.audience: must not be empty/],
    [`${ZSP}, jwks_url: "http://issuer.example/jwks"}`, /zsp\.jwks_url: must be https/],
    [`${ZSP}, jwks_url: "https://u:p@j/"}`, /zsp\.jwks_url: must not contain a user name or password/],
    [`${ZSP}, jwks_url: "https://j", require_dpop: true}`, /require_dpop: needs server\.public_url/],
    [
      `${ZSP}, jwks_url: "https://i/jwks"}\nbudgets: [{name: a, match: {claims: {team: a}}, daily: 1}]`,
      /budgets\.0\.match\.claims: needs zsp\.jwt_only/,
    ],
    ['audit: {enabled: true, otlp: {endpoint: "http://10.0.0.1"}}', /audit\.otlp\.endpoint: must be https/],
    ['audit: {enabled: true, syslog: {address: "siem:601", tls: false}}', /audit\.syslog\.tls: must be true/],
    ['audit: {enabled: true, syslog: {cert_file: a}}', /audit\.syslog\.cert_file: needs both/],
    ['zsp: {jwt_only: true}', /zsp\.jwt_only: has no effect without zsp\.enabled: true/],
    [
      'zsp: {require_dpop: true}\nserver: {public_url: "https://g"}',
      /zsp\.require_dpop: has no effect without zsp\.enabled: true/,
    ],
    ['zsp: {escalation_enabled: true}', /escalation_secret: must not be empty/],
    ['alerting: {webhook_url: "http://hooks.example/a"}', /webhook_url: must be https/],
    ['alerting: {webhook_url: "https://user@hooks.example/a"}', /webhook_url: must not contain a user name/],
    ['alerting: {webhook_url: "https://169.254.169.254/a"}', /webhook_url: must not be a link-local/],
    ['alerting: {webhook_url: "https://2852039166/a"}', /webhook_url: must not be a link-local/],
    ['alerting: {webhook_url: "https://[fe80::1]/a"}', /webhook_url: must not be a link-local/],
    ['alerting: {webhook_url: "https://[::ffff:169.254.1.1]/a"}', /webhook_url: must not be a link-local/],
    ['alerting: {webhook_url: "https://:word@hooks.example/a"}', /webhook_url: must not contain a user name/],
    [
      `alerting: {webhook_url: "https://hooks.example/a", secret: whsec_${'A'.repeat(24)}}`,
      /alerting\.secret: must be whsec_/,
    ],
    ['server: {extproc: {address: "10.0.0.1:9000", token: "0123456789abcdef"}}', /needs mutual TLS/],
    ['server: {extproc: {address: "127.0.0.1:9000"}}', /needs mutual TLS/],
    [`server: {extproc: {address: "unix:/${'a'.repeat(98)}"}}`, /at most 98 bytes/],
    [
      'server: {workers: 3, extproc: {address: "127.0.0.1:65534", token: "0123456789abcdef"}}',
      /must leave a port/,
    ],
    ['server: {extproc: {address: "10.0.0.1:9000", tls: {cert_file: a, key_file: b}}}', /needs mutual TLS/],
  ])('refuse %s', (yaml, message) => {
    expect(problems(yaml)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    'redis: {read_timeout: 29500ms}',
    'risk_profile: {auto_quarantine_threshold: 90, permanent_block_threshold: 90}',
    'alerting: {webhook_url: "http://127.0.0.1:9/a"}',
    'server: {workers: 2, extproc: {address: "127.0.0.1:65534", token: "0123456789abcdef"}}',
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

  it.each([
    ...['Host', 'Content-Type', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'Upgrade'],
    ...[
      'TE',
      'Trailer',
      'Expect',
      'Accept',
      'Accept-Encoding',
      'Last-Event-ID',
      'Mcp-Method',
      'Proxy-Status',
    ],
    ...['X-Gateway-Upstream', 'X-Envoy-Original-Path', 'X-Forwarded-For', 'X-Request-Id'],
  ])('refuse the header %s of an MCP server, which belongs to the transport', (name) => {
    const yaml = `mcp: {servers: [{name: a, url: "https://a", headers: {${name}: b}}]}`;
    expect(problems(yaml)).toEqual([expect.stringContaining(`headers.${name}: is a header that`)]);
  });

  it('accept plain http to any host with SERVER_INSECURE_DEV', () => {
    expect(problems('providers: {openai: {base_url: "http://x"}}', { SERVER_INSECURE_DEV: 'true' })).toEqual(
      [],
    );
  });
});

const CREDENTIALS = 'credentials: {main: {provider: openai, from: {env: KEY}}}';

describe('rules of models', () => {
  it.each([
    ['models: {a: [{provider: openia, model: m}]}', /models\.a\.0\.provider/],
    ['models: {a: [{provider: openai}]}', /models\.a\.0\.model/],
    ['models: {a: []}', /models\.a/],
    ['models: {"a b": [{provider: openai, model: m}]}', /is not a valid name/],
    [
      `${CREDENTIALS}\nmodels: {a: [{provider: openai, model: m, credential: mian}]}`,
      /models\.a\.0\.credential: is not in credentials; did you mean main\?/,
    ],
    [
      `${CREDENTIALS}\nmodels: {a: [{provider: groq, model: m, credential: main}]}`,
      /models\.a\.0\.credential: is a credential of openai and cannot be used with groq/,
    ],
    [
      'models: {a: [{provider: openai, model: m}, {provider: anthropic, model: n}]}',
      /models\.a: must have targets that share an API/,
    ],
    ['models: {a: [{provider: bedrock, model: m}]}', /models\.a: must have targets that share an API/],
    ['models: {a: [{provider: vllm, model: m}]}', /models\.a\.0\.provider: needs providers\.vllm\.base_url/],
  ])('%s', (yaml, expected) => {
    expect(problems(yaml).join('\n')).toMatch(expected);
  });

  it('takes providers that share an API', () => {
    const targets = ['openai', 'groq', 'gemini', 'deepseek'].map((name) => `{provider: ${name}, model: m}`);
    expect(problems(`models: {a: [${targets.join(', ')}]}`)).toEqual([]);
    expect(
      problems('models: {a: [{provider: anthropic, model: m}, {provider: deepseek, model: n}]}'),
    ).toEqual([]);
  });
});
