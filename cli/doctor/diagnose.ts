import { fetchKeySet } from '../../src/auth/jwt/fetch-key-set.ts';
import { KEY_SET_TIMEOUT_MS } from '../../src/config/cross-field-rules.ts';
import type { LoadedConfig } from '../../src/config/load.ts';
import { preflightProblems } from '../../src/config/preflight.ts';
import { formatProblem } from '../../src/config/problems.ts';
import type { Config } from '../../src/config/schema.ts';
import { messageOf } from '../../src/errors.ts';
import { operate, type LocalOperations } from '../../src/operate.ts';
import { describePolicies } from '../../src/policy/describe-set.ts';
import { isWeakSecret } from '../../src/signing/signing-key.ts';
import { describedFile } from '../policy-view.ts';
import { fail, off, ok, warn, type Diagnosis } from './finding.ts';

const SAMPLES = 9;
/** Maximum acceptable Redis latency. Each request takes several round trips. */
const SLOW_MS = 5;
/** Maximum clock difference. Budgets and locks use the Redis clock; logs, JWTs and certificates use the local clock. */
const SKEW_MS = 2_000;

/** Checks the configuration as `serve` does, and warns about weak settings. */
export function diagnoseConfig({ config, sources }: LoadedConfig): Diagnosis[] {
  const problems = preflightProblems(config, sources).map((problem) =>
    fail('configuration', formatProblem(problem)),
  );
  const weak: Diagnosis[] = isWeakSecret(config.signature)
    ? [
        warn(
          'configuration',
          'signature.secret has fewer than 32 bytes: anyone with a receipt could find it by brute force. Create one with: openssl rand -base64 32',
        ),
      ]
    : [];
  const insecure: Diagnosis[] = config.server.insecure_dev
    ? [
        warn(
          'configuration',
          'SERVER_INSECURE_DEV=true allows plain HTTP, which exposes keys: use it only for development',
        ),
      ]
    : [];
  const found =
    sources.file ?? 'no gateway.yaml in this directory, so the defaults apply; create one with: gateway init';
  return [...(problems.length > 0 ? problems : [ok('configuration', found)]), ...weak, ...insecure];
}

export async function diagnoseRedis(config: Config): Promise<Diagnosis[]> {
  try {
    return await operate(config, async (operations) => {
      const { version, maxmemoryPolicy, problems } = await operations.checkServer();
      const suitability =
        problems.length > 0
          ? problems.map((problem) => fail('redis', problem))
          : [ok('redis', `Redis ${version}, maxmemory-policy ${maxmemoryPolicy}`)];
      return [...suitability, ...(await timing(operations)), ...(await storedForms(operations))];
    });
  } catch (error) {
    return [fail('redis', messageOf(error))];
  }
}

/** Checks that stored data can be read. Requests that need data of an unknown version are refused. */
async function storedForms(operations: LocalOperations): Promise<Diagnosis[]> {
  const { scanned, isWhole, unknown } = await operations.scanForms();
  if (unknown.length === 0) {
    return [
      ok(
        'redis',
        `stored data can be read (Redis keys checked: ${isWhole ? 'all' : 'the first'} ${String(scanned)})`,
      ),
    ];
  }
  return unknown.map(({ form, version, count }) =>
    fail(
      'redis',
      `${form} of version ${version}: this gateway cannot read ${String(count)} of the stored values. Requests that need them get 503 ` +
        'stored_form_unknown; run the gateway version that wrote them (docs/upgrading.md)',
    ),
  );
}

async function timing({ readClock }: LocalOperations): Promise<Diagnosis[]> {
  const samples: { readonly tookMs: number; readonly skewMs: number }[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const [began, from] = [performance.now(), Date.now()];
    const redisMs = await readClock();
    const tookMs = performance.now() - began;
    samples.push({ tookMs, skewMs: redisMs - (from + tookMs / 2) });
  }
  const [nearest] = samples.toSorted((a, b) => a.tookMs - b.tookMs);
  const median = samples.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)[SAMPLES >> 1] ?? 0;
  const latency = `latency ${median.toFixed(1)} ms`;
  // The fastest call gives the most precise clock reading.
  const skew = Math.round(nearest?.skewMs ?? 0);
  return [
    median > SLOW_MS
      ? warn('redis', `${latency}, several times per request: use a Redis server that is closer`)
      : ok('redis', latency),
    Math.abs(skew) > SKEW_MS
      ? warn('redis', `its clock differs from this machine's by ${String(skew)} ms: run NTP on both`)
      : ok('redis', `its clock agrees with this machine's (${String(skew)} ms)`),
  ];
}

export async function diagnoseIdentity({ zsp, server }: Config): Promise<Diagnosis[]> {
  if (!zsp.enabled) return [off('identity', 'JWTs: off (zsp.enabled: false)')];
  const scope = zsp.jwt_only ? 'every proxy key needs a JWT' : 'keys with a jwt_subject need a JWT';
  const proofs =
    server.public_url === undefined
      ? warn('identity', 'DPoP: server.public_url is not set, so DPoP-bound JWTs are refused')
      : ok(
          'identity',
          `DPoP: proofs must be for ${server.public_url}${zsp.require_dpop ? '; every JWT needs one' : ''}`,
        );
  try {
    const { keys } = await fetchKeySet({ url: zsp.jwks_url, timeoutMs: KEY_SET_TIMEOUT_MS });
    const read = `JWTs: ${scope}; usable keys at zsp.jwks_url: ${keys.length}`;
    return [
      keys.length === 0 ? fail('identity', `${read}; no JWT can be verified`) : ok('identity', read),
      proofs,
    ];
  } catch (error) {
    // A gateway starts without a key set, and refuses JWTs until it can fetch one.
    return [warn('identity', `JWTs: ${scope}; zsp.jwks_url cannot be read (${messageOf(error)})`), proofs];
  }
}

export async function diagnosePolicies({ policy, server }: Config): Promise<Diagnosis[]> {
  if (!policy.enabled) return [off('policies', 'off (policy.enabled: false)')];
  const sources = { file: policy.policy_file, folder: policy.policy_dir, presets: policy.presets };
  try {
    const { files, digest, default_action, engineBytes, warnings } = await describePolicies(
      sources,
      policy.default_action,
    );
    const memory =
      engineBytes === undefined
        ? 'off, no .rego files'
        : `on, takes about ${Math.round(engineBytes / 1e6)} MB in each worker when idle`;
    return [
      ...files.map((file) => ok('policies', describedFile(file))),
      server.shadow_mode
        ? warn('policies', `shadow mode: policy decisions are recorded but not enforced; on disk: ${digest}`)
        : ok('policies', `on disk: ${digest}`),
      ok('policies', `default action: ${default_action.action} (${default_action.why})`),
      ok('policies', `Rego engine: ${memory}`),
      ...warnings.map((warning) => warn('policies', warning)),
    ];
  } catch (error) {
    return [fail('policies', messageOf(error))];
  }
}
