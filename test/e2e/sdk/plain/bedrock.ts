import {
  BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  type ConverseCommandOutput,
  type ConverseStreamCommandOutput,
  type Tool,
} from '@aws-sdk/client-bedrock-runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { FAKE_AWS_CREDENTIAL } from '../../../support/fake-provider/bedrock.ts';
import {
  INPUT_TOKENS,
  OUTPUT_TOKENS,
  PROMPT,
  TEXT,
  usd,
  type Access,
  type AuthForm,
  type SdkRig,
} from '../../../support/sdk-rig.ts';
import { thrown } from '../../../support/thrown.ts';

const API_KEY = 'bedrock-api-key-0123456789';
const BEARER = ['authorization', `Bearer ${API_KEY}`] as const;
const { accessKeyId, secretAccessKey, sessionToken } = FAKE_AWS_CREDENTIAL;
const CLAUDE_3_HAIKU = { input: 0.25, output: 1.25 };
const MODEL = 'us.anthropic.claude-3-haiku-20240307-v1:0';
const ARN = `arn:aws:bedrock:us-east-1:123456789012:inference-profile/${MODEL}`;
const at = (action: string, id = MODEL): string => `/model/${encodeURIComponent(id)}/${action}`;
const params = {
  modelId: MODEL,
  messages: [{ role: 'user' as const, content: [{ text: PROMPT }] }],
  inferenceConfig: { maxTokens: 100 },
};
const invoke = {
  modelId: MODEL,
  contentType: 'application/json',
  body: JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 100,
    messages: [{ role: 'user', content: PROMPT }],
  }),
};
const tools: Tool[] = [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }];

type ClientOptions = NonNullable<ConstructorParameters<typeof BedrockRuntimeClient>[0]>;

/** The SDK with a bearer token, or with the user's own AWS credentials, whose signature is for another host. */
function client(access: Access, credential: 'token' | 'aws' = 'token'): BedrockRuntimeClient {
  const signing: ClientOptions = {
    credentials: { accessKeyId: 'AKIAUSERSOWNSIGNATURE', secretAccessKey: 'x' },
  };
  const bearing: ClientOptions = {
    token: { token: access.apiKey },
    authSchemePreference: ['httpBearerAuth'],
  };
  const bedrock = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: access.baseUrl,
    maxAttempts: 1,
    ...(credential === 'aws' ? signing : bearing),
  });
  bedrock.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: Record<string, string> }).headers, access.headers);
      return next(args);
    },
    { step: 'build', name: 'gatewayHeaders' },
  );
  return bedrock;
}

const textOf = (answer: ConverseCommandOutput) => answer.output?.message?.content?.[0]?.text;

async function readStream({ stream }: ConverseStreamCommandOutput) {
  let text = '';
  let toolInput = '';
  let stopReason: string | undefined;
  let outputTokens: number | undefined;
  for await (const event of stream ?? []) {
    text += event.contentBlockDelta?.delta?.text ?? '';
    toolInput += event.contentBlockDelta?.delta?.toolUse?.input ?? '';
    stopReason ??= event.messageStop?.stopReason;
    outputTokens ??= event.metadata?.usage?.outputTokens;
  }
  return { text, toolInput, stopReason, outputTokens };
}

export function bedrock(rig: SdkRig): void {
  beforeEach(() => rig.provider.behave({ text: TEXT }));

  describe.each<AuthForm>(['header', 'path'])('with an API key and %s auth', (auth) => {
    let access: Access;
    beforeEach(async () => {
      access = await rig.access('bedrock', auth, API_KEY);
    });

    it.each([MODEL, ARN])('converses with %s', async (modelId) => {
      const answer = await client(access).send(new ConverseCommand({ ...params, modelId }));
      expect(textOf(answer)).toBe(TEXT);
      expect(answer.usage?.inputTokens).toBe(INPUT_TOKENS);
      rig.forwarded(access, { path: at('converse', modelId), credential: BEARER });
      await rig.expectSpent(access, usd(CLAUDE_3_HAIKU));
    });

    it('streams a conversation', async () => {
      const answer = await client(access).send(new ConverseStreamCommand(params));
      expect(await readStream(answer)).toMatchObject({ text: TEXT, outputTokens: OUTPUT_TOKENS });
      rig.forwarded(access, { path: at('converse-stream'), credential: BEARER });
      await rig.expectSpent(access, usd(CLAUDE_3_HAIKU));
    });

    it('uses its tools, whole and streamed', async () => {
      rig.provider.behave({ tool: { name: 'weather', arguments: { city: 'Zürich' } } });
      const asked = { ...params, toolConfig: { tools } };
      const whole = await client(access).send(new ConverseCommand(asked));
      expect(whole.output?.message?.content).toMatchObject([
        { toolUse: { name: 'weather', input: { city: 'Zürich' } } },
      ]);
      const streamed = await client(access).send(new ConverseStreamCommand(asked));
      expect(await readStream(streamed)).toMatchObject({
        stopReason: 'tool_use',
        toolInput: '{"city":"Zürich"}',
      });
    });

    it('invokes a model without declaring JSON, and the body is sent as JSON', async () => {
      const { contentType: _json, ...untold } = invoke;
      const whole = await client(access).send(new InvokeModelCommand(untold));
      expect(JSON.parse(whole.body.transformToString())).toMatchObject({ content: [{ text: TEXT }] });
      const { headers } = rig.forwarded(access, { path: at('invoke'), credential: BEARER });
      expect(headers['content-type']).toBe('application/json');
      await client(access).send(new InvokeModelWithResponseStreamCommand(untold));
      await rig.expectSpent(access, 2 * usd(CLAUDE_3_HAIKU));
    });

    it('invokes a model, whole and streamed', async () => {
      const whole = await client(access).send(new InvokeModelCommand(invoke));
      expect(JSON.parse(whole.body.transformToString())).toMatchObject({ content: [{ text: TEXT }] });
      rig.forwarded(access, { path: at('invoke'), credential: BEARER });

      const streamed = await client(access).send(new InvokeModelWithResponseStreamCommand(invoke));
      let text = '';
      for await (const { chunk } of streamed.body ?? []) {
        const event = JSON.parse(Buffer.from(chunk?.bytes ?? '').toString()) as { delta?: { text?: string } };
        text += event.delta?.text ?? '';
      }
      expect(text).toBe(TEXT);
      rig.forwarded(access, { path: at('invoke-with-response-stream'), credential: BEARER });
      await rig.expectSpent(access, 2 * usd(CLAUDE_3_HAIKU));
    });
  });

  describe.each([
    ['ACCESS:SECRET', `${accessKeyId}:${secretAccessKey}`, undefined],
    ['ACCESS:SECRET:SESSION', `${accessKeyId}:${secretAccessKey}:${sessionToken}`, sessionToken],
  ])('with %s, with which the gateway signs', (_form, credential, token) => {
    /** With path auth the SDK's own signature contains no proxy key, so the header carries the key. */
    const access = async (auth: AuthForm): Promise<Access> => ({
      ...(await rig.access('bedrock', auth, credential)),
      headers: { 'X-Gateway-Provider-Key': credential },
    });

    it.each([
      ['header', 'token'],
      ['path', 'aws'],
    ] as const)('%s auth, %s client: each signature is valid', async (auth, how) => {
      const signed = await access(auth);
      for (const modelId of [MODEL, ARN]) {
        const answer = await client(signed, how).send(new ConverseCommand({ ...params, modelId }));
        expect(textOf(answer)).toBe(TEXT);
        const { headers } = rig.forwarded(signed, { path: at('converse', modelId), credential: 'signature' });
        expect(headers['authorization']).toContain(`Credential=${accessKeyId}/`);
        expect(headers['x-amz-security-token']).toBe(token);
        expect(JSON.stringify(headers)).not.toContain(secretAccessKey);
      }
      const streamed = await client(signed, how).send(new ConverseStreamCommand(params));
      expect(await readStream(streamed)).toMatchObject({ text: TEXT });
      // Without a limit in the request the gateway grants one, and signs the changed body.
      const { messages, modelId } = params;
      await client(signed, how).send(new ConverseCommand({ messages, modelId }));
      const { json } = rig.forwarded(signed, { path: at('converse'), credential: 'signature' });
      expect(json['inferenceConfig']).toMatchObject({ maxTokens: expect.any(Number) as number });
    });

    it('path auth with the credential as the bearer token', async () => {
      const bearing = { ...(await access('path')), headers: {} };
      const answer = await client(bearing).send(new InvokeModelCommand(invoke));
      expect(JSON.parse(answer.body.transformToString())).toMatchObject({ content: [{ text: TEXT }] });
      rig.forwarded(bearing, { path: at('invoke'), credential: 'signature' });
    });
  });

  it("raises its own errors for the provider's and for ours", async () => {
    const access = await rig.access('bedrock', 'header', API_KEY);
    const wrong = await rig.access('bedrock', 'header', `${accessKeyId}:wrong`);
    const poor = await rig.access('bedrock', 'header', API_KEY, { daily: 0.000_001 });
    const unknown = { ...access, apiKey: `gw-${'x'.repeat(43)}` };
    const foreign = { ...access, apiKey: (await rig.access('openai', 'header', API_KEY)).rawKey };
    for (const [who, status, message] of [
      [wrong, 403, /signature/],
      [unknown, 401, /./],
      [foreign, 403, /./],
      [poor, 429, /./],
    ] as const) {
      for (const command of [new ConverseCommand(params), new InvokeModelCommand(invoke)]) {
        const error: unknown = await thrown(client(who).send(command as ConverseCommand));
        expect(error).toBeInstanceOf(BedrockRuntimeServiceException);
        expect(error).toMatchObject({
          $metadata: { httpStatusCode: status },
          message: expect.stringMatching(message) as string,
        });
      }
    }
    await rig.expectSpent(wrong, 0);
  });
}
