import { Readable } from 'node:stream';
import { messageOf } from '../../errors.ts';
import type { PolicyChoice } from '../../offline-policy.ts';
import type { SetDescription } from '../../policy/describe-set.ts';
import { PolicyFilesError } from '../../policy/policy-files-error.ts';
import { policySources, stampOf } from '../../policy/policy-files.ts';
import type { PageServices } from '../services.ts';
import { explainBody } from './bodies.ts';
import { ApiError } from './problem.ts';
import { route, type Route } from './route.ts';
import { explanation, policies, type Policies } from './schemas/rules.ts';

type Described = { readonly set: SetDescription } | { readonly errors: readonly string[] };

const MAX_ERRORS = 100;

export function policyRoutes({ config, feed, operations }: PageServices): readonly Route[] {
  const { policy } = config;
  const choice: PolicyChoice = {
    sources: policySources(policy),
    defaultAction: policy.default_action,
    trust: policy.trust,
  };
  let last: { readonly stamp: string; readonly described: Promise<Described> } | undefined;
  /** Reloads the policies only if their files have changed, because loading takes a second. */
  async function described(): Promise<Described> {
    const stamp = await stampOf(choice.sources);
    if (last?.stamp !== stamp) last = { stamp, described: describe(choice) };
    return last.described;
  }
  let isExplaining = false;
  return [
    route({
      method: 'GET',
      path: '/api/policies',
      summary: 'Policies, and how often each rule matched in the last hour',
      role: 'viewer',
      answer: policies,
      handle: async () => {
        const fired = config.audit.enabled
          ? (await feed.lastHour()).fired(await operations.readClock())
          : new Map<string, number>();
        return policiesView(policy.enabled, await described(), fired);
      },
    }),
    route({
      method: 'POST',
      path: '/api/policies/explain',
      summary: 'What the policies would decide about a call, and why; sends nothing',
      role: 'viewer',
      body: explainBody,
      answer: explanation,
      handle: async ({ body: { input } }) => {
        if (isExplaining) throw new ApiError('overloaded', 'another call is being explained: try again');
        isExplaining = true;
        try {
          return await explain(choice, input);
        } finally {
          isExplaining = false;
        }
      },
    }),
  ];
}

async function describe(choice: PolicyChoice): Promise<Described> {
  const { checkPolicies } = await import('../../offline-policy.ts');
  try {
    return { set: await checkPolicies(choice) };
  } catch (failure) {
    if (!(failure instanceof PolicyFilesError)) throw failure;
    return { errors: failure.message.split(/\n(?! {2})/).slice(0, MAX_ERRORS) };
  }
}

/** @throws ApiError for an invalid input, or policies that cannot be loaded */
async function explain(choice: PolicyChoice, input: object) {
  const { explainInput } = await import('../../offline-policy.ts');
  try {
    return await explainInput(choice, Readable.from([Buffer.from(JSON.stringify(input))]), 'the input');
  } catch (failure) {
    if (failure instanceof PolicyFilesError) throw new ApiError('conflict', failure.message);
    if (failure instanceof Error && failure.name === 'CallJsonError')
      throw new ApiError('invalid_request', messageOf(failure));
    throw failure;
  }
}

function policiesView(enabled: boolean, described: Described, fired: ReadonlyMap<string, number>): Policies {
  if ('errors' in described) {
    const nothing = { digest: null, warnings: [], default_action: null, initial_state: null, files: [] };
    return { enabled, ...nothing, errors: [...described.errors] };
  }
  const { set } = described;
  return {
    enabled,
    digest: set.digest,
    errors: [],
    warnings: [...set.warnings],
    default_action: set.default_action,
    initial_state: set.initial_state,
    files: set.files.map(({ file, kind, rules, has_states }) => ({
      file,
      kind,
      has_states,
      rules: rules.map((rule) => ({
        rule,
        mode:
          set.overrides.find((override) => override.file === file && override.rule === rule)?.mode ??
          'enforce',
        fired: fired.get(`${file}\n${rule}`) ?? 0,
      })),
    })),
  };
}
