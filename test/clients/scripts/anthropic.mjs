import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: BASE_URL, apiKey: API_KEY, defaultHeaders: HEADERS });
const tools = [
  { name: 'get_weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
];
const params = (content, more = {}) => ({
  model: 'claude-3-5-haiku-20241022',
  messages: [{ role: 'user', content }],
  max_tokens: 200,
  ...more,
});

calls.plain = () => client.messages.create(params(HELLO));
calls.stream = () => collect(client.messages.create(params(HELLO, { stream: true })));
calls.helper = () => client.messages.stream(params(HELLO)).finalMessage();
calls.tool = () => client.messages.create(params(WEATHER, { tools }));
calls.tool_stream = () => collect(client.messages.create(params(WEATHER, { tools, stream: true })));
