const name = process.env.MODEL;
const model = async () => {
  if (name.startsWith('gpt')) {
    const { ChatOpenAI } = await import('@langchain/openai');
    const configuration = { baseURL: `${BASE_URL}/v1`, defaultHeaders: HEADERS };
    return new ChatOpenAI({ model: name, apiKey: API_KEY, maxTokens: 200, configuration });
  }
  if (name.startsWith('claude')) {
    const { ChatAnthropic } = await import('@langchain/anthropic');
    const clientOptions = { defaultHeaders: HEADERS };
    const anthropicApiUrl = BASE_URL;
    return new ChatAnthropic({
      model: name,
      apiKey: API_KEY,
      maxTokens: 200,
      anthropicApiUrl,
      clientOptions,
    });
  }
  const { ChatGoogleGenerativeAI } = await import('@langchain/google-genai');
  const customHeaders = HEADERS;
  const google = { apiKey: API_KEY, maxOutputTokens: 200, baseUrl: BASE_URL, customHeaders };
  return new ChatGoogleGenerativeAI({ model: name, ...google });
};
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'tells the weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];
const told = ({ content, tool_calls, usage_metadata }) => ({
  content,
  calls: tool_calls?.map(({ args }) => args),
  usage_metadata,
});

calls.plain = async () => told(await (await model()).invoke(HELLO));
calls.stream = async () => {
  const chunks = [];
  for await (const chunk of await (await model()).stream(HELLO)) chunks.push(told(chunk));
  return chunks;
};
calls.tool = async () => told(await (await model()).bindTools(tools).invoke(WEATHER));
