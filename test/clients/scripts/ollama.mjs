import { Ollama } from 'ollama';

const client = new Ollama({
  host: BASE_URL,
  headers: { Authorization: `Bearer ${API_KEY}`, ...HEADERS },
});
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'tells the weather',
      parameters: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
    },
  },
];
const params = (content, more = {}) => ({
  model: 'llama3.2',
  messages: [{ role: 'user', content }],
  options: { num_predict: 200 },
  ...more,
});

calls.plain = () => client.chat(params(HELLO));
calls.stream = () => collect(client.chat(params(HELLO, { stream: true })));
calls.tool = () => client.chat(params(WEATHER, { tools }));
