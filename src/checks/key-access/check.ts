import { mayUseModel, mayUseProvider } from '../../auth/key-record.ts';
import { PASS, type Check } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { policyDenied } from '../denials.ts';
import type { ProviderName } from '../../providers/registry.ts';

export interface KeyAccessOptions {
  /** Maps a deployment name to its model (`providers.azure.deployments`), which must be allowed. */
  readonly modelOf: (provider: ProviderName, name: string) => string;
}

/** Restricts a key to its providers and models. Every model in a request must be allowed (docs/keys.md). */
export function createKeyAccessCheck({ modelOf }: KeyAccessOptions): Check<unknown, 'key-access'> {
  return {
    name: 'key-access',
    shadowable: false,
    requestHeaders({ key, provider }) {
      if (mayUseProvider(key, provider.name)) return PASS;
      return policyDenied(
        `this key may not use provider ${provider.name}: ask the operator to allow it, or use another key`,
      );
    },
    requestBody(exchange) {
      const { key, request, endpoint, mcp } = exchange;
      if (key.allowedModels === undefined || mcp !== undefined) return PASS;
      // The body and the path may name different models.
      if (endpoint.operation === 'unknown')
        return policyDenied(
          'this key is limited to certain models, and the gateway cannot tell which model this endpoint uses: use another endpoint',
        );
      if (request.models.length === 0 && endpoint.operation !== 'models') {
        return policyDenied('this key is limited to certain models: name one of them in the request');
      }
      if (!mayUseAll(exchange)) {
        return policyDenied(
          'this key may not use this model: use another model, or ask the operator to allow it',
        );
      }
      // A target may read models in the body that the first target ignores.
      exchange.fallbacks &&= exchange.fallbacks.filter(mayUseAll);
      return PASS;
    },
  };

  function mayUseAll({ key, provider, request }: Parsed): boolean {
    return request.models.every((name) => mayUseModel(key, modelOf(provider.name, name)));
  }
}
