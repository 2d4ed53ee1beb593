import { GatewayError } from '../errors.ts';
import { modelList } from './dialects/model-list.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { openaiCompletions } from './dialects/openai-completions.ts';
import { openaiEmbeddings, openaiModerations, openaiRerank } from './dialects/openai-embeddings.ts';
import type { OpenaiVariant } from './dialects/openai-request.ts';
import { openaiCompact, openaiInputTokens, openaiResponses } from './dialects/openai-responses.ts';
import type { Descriptor } from './descriptor.ts';
import type { Credential, Endpoint } from './dialect.ts';

/** Endpoints by path: below the base path in `ProviderTable.post`, below the version in `openaiEndpoints`. */
export type EndpointTable = Readonly<Record<string, Endpoint>>;

/** Builds all OpenAI-style endpoints in one provider's variant. Providers pick the ones they support. */
export function openaiEndpoints(variant: OpenaiVariant) {
  return {
    '/chat/completions': { operation: 'chat', dialect: openaiChat(variant) },
    '/completions': { operation: 'completions', dialect: openaiCompletions(variant) },
    '/responses': { operation: 'responses', dialect: openaiResponses(variant) },
    '/responses/compact': { operation: 'responses', dialect: openaiCompact(variant) },
    '/responses/input_tokens': { operation: 'count_tokens', dialect: openaiInputTokens(variant) },
    '/embeddings': { operation: 'embeddings', dialect: openaiEmbeddings },
    '/moderations': { operation: 'moderations', dialect: openaiModerations },
    '/rerank': { operation: 'rerank', dialect: openaiRerank },
  } as const satisfies EndpointTable;
}

export function pick<Table extends EndpointTable>(
  table: Table,
  ...paths: (keyof Table & string)[]
): EndpointTable {
  return Object.fromEntries(paths.map((path) => [path, table[path] as Endpoint]));
}

export function under(prefix: string, table: EndpointTable): EndpointTable {
  return Object.fromEntries(Object.entries(table).map(([path, endpoint]) => [prefix + path, endpoint]));
}

type Filled = 'endpoint' | 'needsKey' | 'selfHosted' | 'roots' | 'credential';

export type ProviderTable<Name extends string> = Omit<Descriptor<Name>, Filled> & {
  readonly selfHosted?: boolean;
  /** Defaults to `/v1`. */
  readonly roots?: readonly string[];
  readonly post: EndpointTable;
  readonly models?: RegExp;
  /** See `Descriptor.credential`. Defaults to a bearer token. */
  readonly credential?: Descriptor['credential'];
};

const MODELS = /^\/v1\/models(\/[^/]+){0,3}$/;

/** Builds a provider whose endpoints depend only on method and path. */
export function tableProvider<const Name extends string>({
  selfHosted = false,
  roots = ['/v1'],
  post,
  models = MODELS,
  credential = bearer,
  ...rest
}: ProviderTable<Name>): Descriptor<Name> {
  return {
    ...(rest as Omit<Descriptor<Name>, Filled>),
    needsKey: !selfHosted,
    selfHosted,
    roots,
    endpoint(method, path) {
      if (method === 'POST') return Object.hasOwn(post, path) ? post[path] : undefined;
      return models.test(path) ? { operation: 'models', dialect: modelList } : undefined;
    },
    credential,
  };
}

/** @throws GatewayError invalid_request if the key cannot be sent in a header */
export function bearer(key: string): Credential {
  return { kind: 'header', name: 'authorization', value: `Bearer ${headerSafe(key)}` };
}

export function headerSafe(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new GatewayError(
    'invalid_request',
    'The provider key contains a character that is not allowed: use printable ASCII without spaces.',
  );
}
