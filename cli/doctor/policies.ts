import type { Config } from '../../src/config/schema.ts';
import { describePolicies } from '../../src/policy/describe-policies.ts';
import { describedFile } from '../policy-view.ts';
import { messageOf } from '../../src/errors.ts';
import { fail, ok, warn } from './finding.ts';
import type { Finding } from './finding.ts';

/** Which policies would be in force, and what becomes of a call that none of them speaks of. */
export async function diagnosePolicies({ policy, server }: Config): Promise<Finding[]> {
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
