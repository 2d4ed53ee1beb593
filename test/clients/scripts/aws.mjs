import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';

const direct = Object.keys(HEADERS).length === 0;
const [accessKeyId, secretAccessKey, sessionToken] = PROVIDER_KEY.split(':');
const client = new BedrockRuntimeClient({
  region: 'us-east-1',
  endpoint: BASE_URL,
  // Used without a gateway. With one, they sign for the wrong host, and the gateway signs again.
  credentials: { accessKeyId, secretAccessKey, sessionToken },
  // The newest version uses HTTP/2 without TLS, which the gateway accepts but the fake provider does not.
  ...(direct && { requestHandler: new NodeHttpHandler() }),
});
if (!direct) {
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.request.headers, { 'x-api-key': API_KEY, ...HEADERS });
      return next(args);
    },
    { step: 'build', name: 'gateway' },
  );
}
const modelId = 'us.anthropic.claude-3-haiku-20240307-v1:0';
const converse = (text, more = {}) => ({
  modelId,
  messages: [{ role: 'user', content: [{ text }] }],
  inferenceConfig: { maxTokens: 200 },
  ...more,
});
const invoke = {
  modelId,
  body: JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 200,
    messages: [{ role: 'user', content: [{ type: 'text', text: HELLO }] }],
  }),
};
const toolConfig = {
  tools: [
    {
      toolSpec: {
        name: 'get_weather',
        inputSchema: { json: { type: 'object', properties: { city: { type: 'string' } } } },
      },
    },
  ],
};
const told = ({ output, stopReason, usage }) => ({ output, stopReason, usage });
const parsed = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

calls.plain = async () => told(await client.send(new ConverseCommand(converse(HELLO))));
calls.tool = async () => told(await client.send(new ConverseCommand(converse(WEATHER, { toolConfig }))));
calls.stream = async () => {
  const events = [];
  for await (const event of (await client.send(new ConverseStreamCommand(converse(HELLO)))).stream)
    events.push(event);
  return events;
};
calls.invoke = async () => parsed((await client.send(new InvokeModelCommand(invoke))).body);
calls.invoke_stream = async () => {
  const events = [];
  const answer = await client.send(new InvokeModelWithResponseStreamCommand(invoke));
  for await (const { chunk } of answer.body) events.push(parsed(chunk.bytes));
  return events;
};
