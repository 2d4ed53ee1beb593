/** Cross-field rules of the section `models`. */
import { TARGET_APIS } from '../providers/api-endpoints.ts';
import { providers as known, type ProviderName } from '../providers/registry.ts';
import { nearestName } from './nearest-name.ts';
import type { RuleProblem, RuleProblems } from './rule.ts';
import type { Config } from './schema.ts';

export function routeTargets(config: Config): RuleProblems {
  return Object.entries(config.models).flatMap(([alias, targets]) => [
    ...targets.flatMap((target, index) => [
      ...credentialProblems(config, ['models', alias, index, 'credential'], target),
      config.providers[target.provider].base_url === undefined &&
        known[target.provider].defaultBaseUrl === undefined && {
          path: ['models', alias, index, 'provider'],
          message: `needs providers.${target.provider}.base_url`,
        },
    ]),
    sharesNoApi(targets.map(({ provider }) => provider)) && {
      path: ['models', alias],
      message:
        'must have targets that share an API (OpenAI or Anthropic): the gateway does not translate between them',
    },
  ]);
}

function credentialProblems(
  { credentials }: Config,
  path: RuleProblem['path'],
  { provider, credential }: { readonly provider: ProviderName; readonly credential?: string | undefined },
): RuleProblems {
  if (credential === undefined) return [];
  const owner = Object.hasOwn(credentials, credential) ? credentials[credential] : undefined;
  if (owner === undefined) {
    const nearest = nearestName(credential, Object.keys(credentials));
    return [
      { path, message: `is not in credentials${nearest === undefined ? '' : `; did you mean ${nearest}?`}` },
    ];
  }
  return [
    owner.provider !== provider && {
      path,
      message: `is a credential of ${owner.provider} and cannot be used with ${provider}`,
    },
  ];
}

function sharesNoApi(names: readonly ProviderName[]): boolean {
  return !TARGET_APIS.some((api) => names.every((name) => known[name].basePaths[api] !== undefined));
}
