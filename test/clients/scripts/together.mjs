import Together from 'together-ai';

const client = new Together({ baseURL: `${BASE_URL}/v1`, apiKey: API_KEY, defaultHeaders: HEADERS });
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];
const ask = (content, more = {}) =>
  client.chat.completions.create({
    model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
    messages: [{ role: 'user', content }],
    max_tokens: 200,
    ...more,
  });
const collect = async (stream) => {
  const chunks = [];
  for await (const chunk of await stream) chunks.push(chunk);
  return chunks;
};

calls.plain = () => ask(HELLO);
calls.stream = () => collect(ask(HELLO, { stream: true }));
calls.tool = () => ask(WEATHER, { tools });
calls.tool_stream = () => collect(ask(WEATHER, { tools, stream: true }));
