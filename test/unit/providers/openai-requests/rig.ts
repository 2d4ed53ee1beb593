import { applyEdits } from '../../../../src/json/edit.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { RequestFacts } from '../../../../src/providers/request-facts.ts';
import { type ProviderName, providers } from '../../../../src/providers/registry.ts';

export const CHAT = '/v1/chat/completions';

export const RESPONSES = '/v1/responses';

export const COMPLETIONS = '/v1/completions';

export function read(provider: ProviderName, path: string, extra: JsonObject): RequestFacts {
  const endpoint = providers[provider].endpoint('POST', path);
  if (endpoint === undefined) throw new Error(`no ${path}`);
  const least = { [CHAT]: { messages: [] }, [RESPONSES]: { input: 'hi' }, [COMPLETIONS]: { prompt: 'hi' } }[
    path
  ];
  return endpoint.dialect.request({ model: 'm', ...least, ...extra }, endpoint);
}

/** The body without the provider's tools. */
export function withoutTools(provider: ProviderName, path: string, extra: JsonObject): unknown {
  const edits = read(provider, path, extra).hostedTools.flatMap((tool) => tool.remove);
  return JSON.parse(applyEdits(Buffer.from(JSON.stringify(extra)), edits).toString());
}
