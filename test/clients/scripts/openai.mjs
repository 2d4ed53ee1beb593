import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${BASE_URL}/v1`,
  apiKey: API_KEY,
  defaultHeaders: HEADERS,
  maxRetries: 2,
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
    model: 'gpt-4o',
    messages: [{ role: 'user', content }],
    max_tokens: 200,
    ...more,
  });
const collect = async (stream) => {
  const events = [];
  for await (const event of await stream) events.push(event);
  return events;
};

calls.plain = () => ask(HELLO);
calls.stream = () => collect(ask(HELLO, { stream: true }));
calls.tool = () => ask(WEATHER, { tools });
calls.tool_stream = () => collect(ask(WEATHER, { tools, stream: true }));
calls.embedding = () => client.embeddings.create({ model: 'text-embedding-3-small', input: [HELLO] });
calls.models = async () => (await collect(client.models.list())).map(({ id }) => id);
const asked = { model: 'gpt-4o', input: HELLO, max_output_tokens: 200 };
calls.response = () => client.responses.create(asked);
calls.response_stream = () => collect(client.responses.create({ ...asked, stream: true }));
