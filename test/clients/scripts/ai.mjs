import { generateText, jsonSchema, streamText, tool } from 'ai';

const options = { baseURL: `${BASE_URL}${process.env.BASE_PATH}`, apiKey: API_KEY, headers: HEADERS };
const [dialect, name] = process.env.MODEL.split(':');
const models = {
  openai: async () => (await import('@ai-sdk/openai')).createOpenAI(options).responses(name),
  chat: async () => (await import('@ai-sdk/openai')).createOpenAI(options).chat(name),
  anthropic: async () => (await import('@ai-sdk/anthropic')).createAnthropic(options)(name),
  google: async () => (await import('@ai-sdk/google')).createGoogleGenerativeAI(options)(name),
  mistral: async () => (await import('@ai-sdk/mistral')).createMistral(options)(name),
  groq: async () => (await import('@ai-sdk/groq')).createGroq(options)(name),
  cohere: async () => (await import('@ai-sdk/cohere')).createCohere(options)(name),
};
const params = async (prompt, more = {}) => ({
  model: await models[dialect](),
  prompt,
  maxOutputTokens: 200,
  ...more,
});
const tools = {
  get_weather: tool({
    description: 'tells the weather',
    inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } } }),
  }),
};
const told = ({ text, toolCalls, finishReason, usage }) => ({
  text,
  calls: toolCalls.map(({ input }) => input),
  finishReason,
  usage,
});

calls.plain = async () => told(await generateText(await params(HELLO)));
calls.tool = async () => told(await generateText(await params(WEATHER, { tools })));
calls.stream = async () => {
  let failed;
  const onError = ({ error }) => {
    failed = error;
  };
  const result = streamText(await params(HELLO, { onError }));
  const pieces = [];
  for await (const piece of result.textStream) pieces.push(piece);
  if (failed !== undefined) throw failed;
  return { pieces, finishReason: await result.finishReason };
};
