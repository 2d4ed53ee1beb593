import { PASS, type Check } from '../../pipeline/check.ts';
import { policyDenied } from '../denials.ts';
import type { ProviderName } from '../../providers/provider.ts';
import { globMatches } from '../../text/glob.ts';

export interface KeyAccessOptions {
  /** The model that a name stands for (`providers.azure.deployments`): that one must be allowed, not its name. */
  readonly modelOf: (provider: ProviderName, name: string) => string;
}

/**
 * Holds a key to its own providers and models (docs/keys.md): a key for one provider is
 * useless for another, and every model that may serve the request must be allowed.
 */
export function createKeyAccessCheck({ modelOf }: KeyAccessOptions): Check<unknown, 'key-access'> {
  return {
    name: 'key-access',
    shadowable: false,
    requestHeaders({ key, provider }) {
      if (key.provider === provider.name || key.allowedProviders?.includes(provider.name) === true)
        return PASS;
      return policyDenied(
        `this key may not use provider ${provider.name}: ask the operator to allow it, or use another key`,
      );
    },
    requestBody({ key, provider, request, endpoint, mcp }) {
      const globs = key.allowedModels;
      if (globs === undefined || mcp !== undefined) return PASS;
      // Its body may name one model and its path another.
      if (endpoint.operation === 'unknown')
        return policyDenied(
          'this key may only use certain models, and the gateway cannot tell which one this endpoint uses: use another endpoint',
        );
      if (request.models.length === 0 && endpoint.operation !== 'models') {
        return policyDenied('this key may only use certain models: name one of them in the request');
      }
      const refused = request.models
        .map((name) => modelOf(provider.name, name))
        .find((model) => !globs.some((glob) => matches(glob, model)));
      return refused === undefined
        ? PASS
        : policyDenied('this key may not use this model: use another model, or ask the operator to allow it');
    },
  };
}

function matches(glob: string, model: string): boolean {
  return globMatches(glob, model) || globMatches(glob, model.replace(/^models\//, ''));
}
