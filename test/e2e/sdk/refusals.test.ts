import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk';
import {
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  ConverseCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { ApiError, GoogleGenAI } from '@google/genai';
import { HTTPClient, Mistral } from '@mistralai/mistralai';
import { MistralError } from '@mistralai/mistralai/models/errors';
import { CohereClientV2, CohereError } from 'cohere-ai';
import OpenAI, { APIError as OpenaiError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEADER } from '../../../src/headers.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { startSdkRig, TRANSPORTS, type Access, type SdkRig } from '../../support/sdk-rig.ts';

/** The parts of a refusal that an SDK's user sees. */
interface Shown {
  readonly status: number | undefined;
  readonly message: string;
  /** The provider's own error code, if the SDK exposes one. */
  readonly code?: unknown;
  readonly requestId?: unknown;
  /** `X-Gateway-Error-Type`, or the body's `type` in an SDK that hides headers. */
  readonly type: unknown;
}

interface Sdk {
  readonly provider: ProviderName;
  call(access: Access): Promise<unknown>;
  shown(error: unknown): Shown;
}

const LOCKED = 'this proxy key is locked';
const SPENT =
  "This key may not spend anything: its daily budget is 0 USD. Ask the gateway's operator for a larger budget. For clients that retry: Quota exceeded (limit: 0), no wait will reset it";
/** The gateway's types for a locked key, a wrong key and a spent budget. */
const TYPES = ['quarantined', 'invalid_key', 'budget_exceeded'];
const MESSAGES = [{ role: 'user' as const, content: 'hi' }];

const openai = (provider: ProviderName, model: string): Sdk => ({
  provider,
  call: ({ baseUrl, apiKey, headers }) =>
    new OpenAI({
      baseURL: `${baseUrl}/v1`,
      apiKey,
      defaultHeaders: headers,
      maxRetries: 0,
    }).chat.completions.create({
      model,
      messages: MESSAGES,
    }),
  shown: (error) => {
    if (!(error instanceof OpenaiError)) throw error;
    const { status, message, code, requestID, headers } = error as OpenaiError<number, Headers>;
    return { status, message, code, requestId: requestID, type: headers.get(HEADER.errorType) };
  },
});

const SDKS: Readonly<Record<string, Sdk>> = {
  openai: openai('openai', 'gpt-4o'),
  'openai at groq': openai('groq', 'llama-3.3-70b-versatile'),
  anthropic: {
    provider: 'anthropic',
    call: ({ baseUrl, apiKey, headers }) =>
      new Anthropic({ baseURL: baseUrl, apiKey, defaultHeaders: headers, maxRetries: 0 }).messages.create({
        model: 'claude-3-haiku-20240307',
        max_tokens: 10,
        messages: MESSAGES,
      }),
    shown: (error) => {
      if (!(error instanceof AnthropicError)) throw error;
      const { status, message, type, requestID, headers } = error as AnthropicError<number, Headers>;
      return { status, message, code: type, requestId: requestID, type: headers.get(HEADER.errorType) };
    },
  },
  'google genai': {
    provider: 'gemini',
    call: ({ baseUrl, apiKey, headers }) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl, headers } }).models.generateContent({
        model: 'gemini-2.5-flash',
        contents: 'hi',
      }),
    shown: (error) => {
      if (!(error instanceof ApiError)) throw error;
      // No headers: its message is the body.
      const { error: told, type } = JSON.parse(error.message) as {
        error: string | { message: string; status: string };
        type: string;
      };
      const { status } = error;
      return typeof told === 'string'
        ? { status, message: told, type }
        : { status, message: told.message, code: told.status, type };
    },
  },
  cohere: {
    provider: 'cohere',
    call: ({ baseUrl, apiKey, headers }) =>
      new CohereClientV2({ token: apiKey, environment: baseUrl, headers, maxRetries: 0 }).chat({
        model: 'command-r-08-2024',
        messages: MESSAGES,
      }),
    shown: (error) => {
      if (!(error instanceof CohereError)) throw error;
      const { message = '' } = error.body as { message?: string };
      const type = error.rawResponse?.headers.get(HEADER.errorType);
      return { status: error.statusCode, message, type };
    },
  },
  mistral: {
    provider: 'mistral',
    call: ({ baseUrl, apiKey, headers }) => {
      const httpClient = new HTTPClient();
      httpClient.addHook('beforeRequest', (request) => {
        for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
      });
      return new Mistral({ apiKey, serverURL: baseUrl, httpClient }).chat.complete({
        model: 'mistral-small-latest',
        messages: MESSAGES,
      });
    },
    shown: (error) => {
      if (!(error instanceof MistralError)) throw error;
      const { statusCode, message, headers } = error;
      return { status: statusCode, message, type: headers.get(HEADER.errorType) };
    },
  },
  bedrock: {
    provider: 'bedrock',
    call: ({ baseUrl, apiKey, headers }) => {
      const client = new BedrockRuntimeClient({
        region: 'us-east-1',
        endpoint: baseUrl,
        maxAttempts: 1,
        token: { token: apiKey },
        authSchemePreference: ['httpBearerAuth'],
      });
      client.middlewareStack.add(
        (next) => (args) => {
          Object.assign((args.request as { headers: Record<string, string> }).headers, headers);
          return next(args);
        },
        { step: 'build', name: 'gatewayHeaders' },
      );
      return client.send(
        new ConverseCommand({
          modelId: 'us.anthropic.claude-3-haiku-20240307-v1:0',
          messages: [{ role: 'user', content: [{ text: 'hi' }] }],
        }),
      );
    },
    shown: (error) => {
      if (!(error instanceof BedrockRuntimeServiceException)) throw error;
      const { name, message, $metadata, $response } = error;
      const { httpStatusCode: status, requestId } = $metadata;
      return { status, message, code: name, requestId, type: $response?.headers[HEADER.errorType] };
    },
  },
};

const UUID = /^[0-9a-f-]{36}$/;
const withId: unknown = expect.stringMatching(UUID);

describe.each(['native', 'gateway'] as const)('server.error_format: %s', (error_format) => {
  let rig: SdkRig;
  beforeAll(async () => {
    const [, plain = TRANSPORTS[0]] = TRANSPORTS;
    if (plain === undefined) throw new Error('no transport');
    rig = await startSdkRig(plain, { server: { error_format } });
  });
  afterAll(() => rig.close());

  /** Texts that the SDK shows for a locked key, a wrong key and a budget of 0. */
  async function refusals(name: string): Promise<{ locked: Shown; unknown: Shown; spent: Shown }> {
    const sdk = SDKS[name];
    if (sdk === undefined) throw new Error(name);
    const shown = (access: Access): Promise<Shown> =>
      sdk.call(access).then(
        () => Promise.reject(new Error('was not refused')),
        (error: unknown) => sdk.shown(error),
      );
    const access = await rig.access(sdk.provider, 'header', 'provider-key-0123456789');
    await rig.gateway.redis.client.set(`gateway:quarantine:${access.keyHash}`, '1', 'EX', 3_600);
    const locked = await shown(access);
    const unknown = await shown({ ...access, apiKey: `gw-${'x'.repeat(43)}` });
    const spent = await shown(
      await rig.access(sdk.provider, 'path', 'provider-key-0123456789', { daily: 0 }),
    );
    return { locked, unknown, spent };
  }

  if (error_format === 'native') {
    it.each([
      ['openai', ['quarantined', 'invalid_api_key', 'insufficient_quota'], withId],
      ['openai at groq', ['quarantined', 'invalid_api_key', 'insufficient_quota'], withId],
      ['anthropic', ['permission_error', 'authentication_error', 'rate_limit_error'], withId],
      ['google genai', ['PERMISSION_DENIED', 'UNAUTHENTICATED', 'RESOURCE_EXHAUSTED'], undefined],
      ['cohere', [undefined, undefined, undefined], undefined],
      ['mistral', [undefined, undefined, undefined], undefined],
      [
        'bedrock',
        ['AccessDeniedException', 'UnrecognizedClientException', 'ServiceQuotaExceededException'],
        withId,
      ],
    ])('%s shows the message, its own code, the type and the request id', async (name, codes, requestId) => {
      const { locked, unknown, spent } = await refusals(name);
      expect([locked, unknown, spent].map(({ type }) => type)).toEqual(TYPES);
      expect([locked, unknown, spent].map(({ status }) => status)).toEqual([403, 401, 429]);
      expect(locked.message).toContain(LOCKED);
      expect(unknown.message).toContain('invalid proxy key');
      expect(spent.message).toContain(SPENT);
      expect([locked, unknown, spent].map(({ code }) => code)).toEqual(codes);
      for (const each of [locked, unknown, spent]) expect(each.requestId).toEqual(requestId);
    });

    it('an SDK without structured errors shows only the sentence', async () => {
      const shown = await Promise.all(['openai', 'anthropic', 'bedrock'].map((name) => refusals(name)));
      expect(shown.map(({ spent }) => spent.message)).toEqual([`429 ${SPENT}`, `429 ${SPENT}`, SPENT]);
    });
  } else {
    it.each(Object.keys(SDKS))('%s gets the gateway’s own format', async (name) => {
      const { locked, unknown, spent } = await refusals(name);
      expect([locked, unknown, spent].map(({ status }) => status)).toEqual([403, 401, 429]);
      expect([locked, unknown, spent].map(({ type }) => type)).toEqual(TYPES);
      if (name === 'bedrock') {
        expect([locked.code, spent.message]).toEqual(['AccessDeniedException', SPENT]);
        expect(unknown.requestId).toEqual(withId);
      }
    });
  }
});
