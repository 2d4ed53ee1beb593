import type { Command } from 'commander';
import { fetchKeySet } from '../../src/auth/jwt/fetch-key-set.ts';
import type { LoadedConfig } from '../../src/config/load.ts';
import { KEY_SET_TIMEOUT_MS } from '../../src/config/rules.ts';
import type { Config } from '../../src/config/schema.ts';
import { ConfigError, formatProblem } from '../../src/config/problems.ts';
import { servableProblems } from '../../src/config/servable.ts';
import { operate } from '../../src/operate.ts';
import { describePolicies } from '../../src/policy/describe-policies.ts';
import { findEnvoy } from '../../src/runtime/envoy-binary.ts';
import { ExitCode } from '../command.ts';
import type { Io } from '../command.ts';
import { painter, print, printable, withOutput } from '../output.ts';
import type { OutputFormat } from '../output.ts';
import { describedFile } from '../policy-view.ts';
import { loadedConfig } from '../loaded-config.ts';
import { runningGateway } from '../running-gateway.ts';

/** One thing that was looked at. `warn` does not keep the gateway from starting. */
interface Finding {
  readonly check: 'configuration' | 'redis' | 'envoy' | 'identity' | 'engines' | 'policies' | 'gateway';
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
}

/** `gateway doctor`: what keeps the gateway from starting, and what it does not protect from. */
export function registerDoctor(program: Command, io: Io): void {
  withOutput(
    program.command('doctor').description('diagnose configuration, Redis, Envoy and the checks'),
  ).action(async (options: { output: OutputFormat }, command: Command) => {
    const findings = await diagnose(command, io);
    const healthy = findings.every(({ status }) => status !== 'fail');
    print(io, options.output, { healthy, findings }, () => findings.map((one) => line(one, io)).join('\n'));
    if (!healthy) throw new ExitCode(1);
  });
}

async function diagnose(command: Command, io: Io): Promise<Finding[]> {
  let loaded: LoadedConfig;
  try {
    loaded = loadedConfig(command, io);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => fail('configuration', formatProblem(problem)));
  }
  const [redis, envoy, identity] = await Promise.all([
    diagnoseRedis(loaded),
    diagnoseEnvoy(loaded, io),
    diagnoseIdentity(loaded),
  ]);
  const policies = await diagnosePolicies(loaded);
  const running: Finding = { check: 'gateway', ...(await runningGateway(loaded.config)) };
  const engines = diagnoseEngines(loaded);
  return [...diagnoseConfig(loaded), ...redis, envoy, ...identity, ...engines, ...policies, running];
}

/** Whether the keys that JWTs are verified by can be read from here. */
async function diagnoseIdentity({ config: { zsp, server } }: LoadedConfig): Promise<Finding[]> {
  if (!zsp.enabled) return [ok('identity', 'JWTs: off (zsp.enabled: false)')];
  const scope = zsp.jwt_only ? 'every proxy key needs one' : 'keys with a jwt_subject need one';
  const proofs =
    server.public_url === undefined
      ? warn('identity', 'DPoP: tokens that are bound to a key are refused without server.public_url')
      : ok('identity', `DPoP: proofs are made for ${server.public_url}${zsp.require_dpop ? ', by all' : ''}`);
  try {
    const { keys } = await fetchKeySet({ url: zsp.jwks_url, timeoutMs: KEY_SET_TIMEOUT_MS });
    const read = `JWTs: ${scope}; ${keys.length} keys at zsp.jwks_url`;
    return [
      keys.length === 0 ? fail('identity', `${read}: none can be verified`) : ok('identity', read),
      proofs,
    ];
  } catch (error) {
    // A gateway starts without them, and refuses what needs a JWT until they are there.
    return [warn('identity', `JWTs: ${scope}; zsp.jwks_url cannot be read (${messageOf(error)})`), proofs];
  }
}

/** Which policies would be in force, and what becomes of a call that none of them speaks of. */
async function diagnosePolicies({ config: { policy, server } }: LoadedConfig): Promise<Finding[]> {
  if (!policy.enabled) return [ok('policies', 'off (policy.enabled: false)')];
  const sources = { file: policy.policy_file, folder: policy.policy_dir, presets: policy.presets };
  try {
    const { files, digest, default_action, engineBytes, warnings } = await describePolicies(
      sources,
      policy.default_action,
    );
    const memory =
      engineBytes === undefined
        ? 'off, no .rego file is there'
        : `on, takes ${Math.round(engineBytes / 1e6)} MB at rest in each worker`;
    const fate = default_action.action === 'deny' ? 'denied' : 'allowed';
    return [
      ...files.map((file) => ok('policies', describedFile(file))),
      server.shadow_mode
        ? warn(
            'policies',
            `shadow mode: what they say is recorded, and nothing is denied or masked; ${digest}`,
          )
        : ok('policies', `in force: ${digest}`),
      ok('policies', `what no policy speaks of is ${fate}: ${default_action.why}`),
      ok('policies', `Rego engine: ${memory}`),
      ...warnings.map((warning) => warn('policies', warning)),
    ];
  } catch (error) {
    return [fail('policies', messageOf(error))];
  }
}

function diagnoseConfig({ config, sources }: LoadedConfig): Finding[] {
  const problems = servableProblems(config, sources).map((problem) =>
    fail('configuration', formatProblem(problem)),
  );
  const insecure: Finding[] = config.server.insecure_dev
    ? [warn('configuration', 'SERVER_INSECURE_DEV=true: keys travel over plain HTTP, for development only')]
    : [];
  const found = sources.file ?? 'no gateway.yaml: the defaults are used';
  return [...(problems.length > 0 ? problems : [ok('configuration', found)]), ...insecure];
}

async function diagnoseRedis({ config }: LoadedConfig): Promise<Finding[]> {
  try {
    const { version, maxmemoryPolicy, problems } = await operate(config, ({ checkServer }) => checkServer());
    if (problems.length > 0) return problems.map((problem) => fail('redis', problem));
    return [ok('redis', `Redis ${version}, maxmemory-policy ${maxmemoryPolicy}`)];
  } catch (error) {
    return [fail('redis', messageOf(error))];
  }
}

async function diagnoseEnvoy({ config }: LoadedConfig, io: Io): Promise<Finding> {
  if (!config.envoy.managed) return ok('envoy', 'runs elsewhere (envoy.managed: false)');
  try {
    const { version, path } = await findEnvoy({
      configuredPath: config.envoy.path,
      environment: io.env,
      progress: (message) => io.stderr.write(`${message}\n`),
    });
    return ok('envoy', `Envoy ${version} at ${path}`);
  } catch (error) {
    return fail('envoy', messageOf(error));
  }
}

/** What each security engine does under this configuration (SPEC "Command-line interface"). */
function diagnoseEngines({ config }: LoadedConfig): Finding[] {
  const { loop_detection: loop, risk_profile: risk, rate_limit: rate, session, mcp } = config;
  const { dlp } = config.server;
  const { drift_detection: drift } = session;
  const engines: readonly (readonly [name: string, isOn: boolean, how: string])[] = [
    ['loop detection', loop.enabled, `action ${loop.action}`],
    [
      'risk engine',
      risk.enabled,
      `locks a key over ${risk.auto_quarantine_threshold}, blocks it over ${risk.permanent_block_threshold}`,
    ],
    ['drift detection', drift.enabled, `denies over ${drift.drift_score_threshold}`],
    ['DLP gate', dlp.enabled, dlpScope(dlp)],
    ['DLP gate for requests', dlp.requests !== 'off', dlp.requests],
    [
      'tool response inspector',
      mcp.enabled && mcp.inspector.enabled,
      `${mcp.servers.length} MCP servers, secrets ${mcp.inspector.secrets === 'mask' ? 'are masked' : 'quarantine'}`,
    ],
    [
      'MCP circuit breaker',
      mcp.enabled && mcp.circuit_breaker.enabled,
      `opens at ${mcp.circuit_breaker.threshold} failures in ${mcp.circuit_breaker.window_seconds} s`,
    ],
    ['rate limit', rate.enabled, `${rate.requests_per_minute} requests a minute`],
  ];
  const shadow = config.server.shadow_mode
    ? [
        warn(
          'engines',
          'shadow mode: loops, drift, DLP, the inspector and policies record, and deny or mask nothing',
        ),
      ]
    : [];
  return [
    ...engines.map(([name, isOn, how]) => ok('engines', isOn ? `${name}: on, ${how}` : `${name}: off`)),
    ...shadow,
  ];
}

function dlpScope({
  scan_secrets,
  scan_pii,
  scan_network,
  scan_tool_arguments,
  action,
}: Config['server']['dlp']): string {
  const scopes = [
    ...(scan_secrets ? ['secrets'] : []),
    ...(scan_pii ? ['personal data'] : []),
    ...(scan_network ? ['private networks'] : []),
  ];
  return `${scopes.length === 0 ? 'looks for nothing' : scopes.join(', ')}; ${action ?? 'secrets quarantine, the rest is masked'}${scan_tool_arguments ? '' : '; not in arguments of tools'}`;
}

function ok(check: Finding['check'], message: string): Finding {
  return { check, status: 'ok', message };
}

function warn(check: Finding['check'], message: string): Finding {
  return { check, status: 'warn', message };
}

function fail(check: Finding['check'], message: string): Finding {
  return { check, status: 'fail', message };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}

function line({ check, status, message }: Finding, io: Io): string {
  const paint = painter(io);
  const mark = { ok: paint('green', '✓'), warn: paint('yellow', '!'), fail: paint('red', '✗') }[status];
  return `${mark} ${check.padEnd('configuration'.length)}  ${printable(message)}`;
}
