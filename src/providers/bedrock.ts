import { GatewayError } from '../errors.ts';
import { bedrockConverse, bedrockConverseStream, bedrockCountTokens } from './dialects/bedrock-converse.ts';
import { bedrockInvoke } from './dialects/bedrock-invoke.ts';
import { bearer, headerSafe, openaiEndpoints, pick, under } from './openai-style.ts';
import type { Descriptor } from './descriptor.ts';
import type { Credential, Endpoint } from './dialect.ts';

const COMPATIBLE = under(
  '/openai/v1',
  pick(
    openaiEndpoints({ limitFields: ['max_completion_tokens', 'max_tokens'], asksUsage: true }),
    '/chat/completions',
  ),
);

const MODEL_PATH = /^\/model\/([^/]+)\/([a-z-]+)$/;

const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/;

/** Captures the model id if an ARN ends in it rather than in a user-defined name. */
const NAMES_MODEL = /^arn:[^/]*:(?:foundation-model|inference-profile)\/([^/]+)$/;

/** Invoke headers that can select a more expensive service, with their harmless values. */
const COSTLY_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['x-amzn-bedrock-service-tier', ['default', 'flex']],
  ['x-amzn-bedrock-performanceconfig-latency', ['standard']],
  ['x-amzn-bedrock-guardrailidentifier', []],
];

const BEDROCK_HEADERS: ReadonlySet<string> = new Set([
  ...COSTLY_HEADERS.map(([name]) => name),
  'x-amzn-bedrock-accept',
  'x-amzn-bedrock-guardrailversion',
  'x-amzn-bedrock-request-metadata',
  'x-amzn-bedrock-trace',
]);

const REGION = /^(?:us|us-gov|eu|apac|jp|au|ca|global)\./;

/** Captures the model id of an ARN. Application profiles and provisioned throughput do not reveal it. */
const PRICED_ARN = /^arn:aws[a-z-]*:bedrock:[^/]*:(?:foundation-model|inference-profile)\/(.+)$/;

/** `ACCESS:SECRET[:SESSION]`. None of the parts can contain a colon. */
const AWS_KEY = /^([A-Z0-9]{16,128}):([^:]+)(?::([^:]+))?$/;

/** Amazon Bedrock's runtime API. The base URL selects the region. */
export const bedrock: Descriptor<'bedrock'> = {
  name: 'bedrock',
  defaultBaseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  needsKey: true,
  keyRefusals: [401, 403],
  selfHosted: false,
  roots: ['', '/openai/v1'],
  basePaths: {},
  modelInPath: /^(.*\/model\/)([^/]+)(\/[^/]*)$/,
  errorShape: 'bedrock',
  errorShapesAt: [[/^\/openai\//, 'openai']],
  exec: {
    keys: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    keyedAddresses: { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: '' },
    keyIn,
    keyed: (key) => ({
      AWS_BEARER_TOKEN_BEDROCK: key,
      AWS_ACCESS_KEY_ID: 'unused',
      AWS_SECRET_ACCESS_KEY: 'unused',
    }),
  },
  pricing: {
    outputTokensPerSecond: 300,
    table: 'aws',
    tableNames,
    maxImageTokens: 5_000,
    // aws.amazon.com/bedrock/pricing
    tiers: { priority: [[/^/, 1.75]] },
  },
  traces: {
    aliases: ['aws.bedrock', 'aws_bedrock', 'bedrock_converse'],
    models: /^(?:us\.|eu\.|apac\.)?(?:anthropic|amazon|meta)\./,
  },
  objects: {
    own: 'invocationArn',
    nextPage: ['nextToken', 'nextToken'],
    // A UUID with which AWS SDKs mark retries.
    harmless: new Set(['clientRequestToken']),
  },
  parameters: new Set(['maxResults', 'nextToken']),
  headers: BEDROCK_HEADERS,
  endpoint(method, path) {
    if (method !== 'POST') return undefined;
    if (Object.hasOwn(COMPATIBLE, path)) return COMPATIBLE[path];
    const [, id, action] = MODEL_PATH.exec(path) ?? [];
    const model = id === undefined ? undefined : modelOf(id);
    return model === undefined ? undefined : modelAction(model, action);
  },
  unboundedBy(headers) {
    return COSTLY_HEADERS.find(([name, usual]) => {
      const value = headers.get(name);
      return value !== undefined && !usual.includes(value);
    })?.[0];
  },
  credential(key) {
    return key.includes(':') ? awsCredential(key) : bearer(key);
  },
};

/** Returns the model in a path segment: a model id, or an ARN, reduced to its model id if it contains one. */
function modelOf(segment: string): string | undefined {
  let id: string;
  try {
    id = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  if (!MODEL_ID.test(id) || /(^|\/)\.{1,2}(\/|$)/.test(id)) return undefined;
  return NAMES_MODEL.exec(id)?.[1] ?? id;
}

function modelAction(model: string, action: string | undefined): Endpoint | undefined {
  switch (action) {
    case 'converse':
      return { operation: 'chat', dialect: bedrockConverse, model };
    case 'converse-stream':
      return { operation: 'chat', dialect: bedrockConverseStream, model };
    case 'count-tokens':
      return { operation: 'count_tokens', dialect: bedrockCountTokens, model };
    case 'invoke':
    case 'invoke-with-response-stream': {
      // Only Converse accepts stored prompts.
      if (model.includes(':prompt/')) return undefined;
      const dialect = bedrockInvoke(model, action !== 'invoke');
      return dialect && { operation: invokeOperation(model), dialect, model };
    }
    default:
      return undefined;
  }
}

function invokeOperation(model: string): Endpoint['operation'] {
  if (/\brerank-/.test(model)) return 'rerank';
  return /\b(titan-embed|embed)-/.test(model) ? 'embeddings' : 'chat';
}

function keyIn(value: (name: string) => string): string | undefined {
  const token = value('AWS_BEARER_TOKEN_BEDROCK');
  if (token !== '') return token;
  const parts = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].map(value);
  return parts[0] === '' || parts[1] === '' ? undefined : parts.filter((part) => part !== '').join(':');
}

function tableNames(model: string): readonly string[] {
  const name = PRICED_ARN.exec(model)?.[1] ?? model;
  return name.startsWith('arn:') ? [] : [name, name.replace(REGION, '')];
}

function awsCredential(key: string): Credential {
  const [, accessKeyId, secretAccessKey, sessionToken] = AWS_KEY.exec(key) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new GatewayError(
      'invalid_request',
      'The Bedrock key must be an API key, or ACCESS_KEY_ID:SECRET_ACCESS_KEY[:SESSION_TOKEN].',
    );
  }
  headerSafe(key);
  return {
    kind: 'sigv4',
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
  };
}
