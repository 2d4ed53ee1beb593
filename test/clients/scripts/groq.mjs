import Groq from 'groq-sdk';

// It adds `/openai` itself, which the provider's own base URL has.
const client = new Groq({
  baseURL: BASE_URL.replace(/\/openai$/, ''),
  apiKey: API_KEY,
  defaultHeaders: HEADERS,
});
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
    model: 'llama-3.1-8b-instant',
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
