import { Mistral } from '@mistralai/mistralai';
import { HTTPClient } from '@mistralai/mistralai/lib/http.js';

const httpClient = new HTTPClient();
httpClient.addHook('beforeRequest', (request) => {
  const next = new Request(request);
  for (const [name, value] of Object.entries(HEADERS)) next.headers.set(name, value);
  return next;
});
const client = new Mistral({ apiKey: API_KEY, serverURL: BASE_URL, httpClient });
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];
const params = (content, more = {}) => ({
  model: 'mistral-small-latest',
  messages: [{ role: 'user', content }],
  maxTokens: 200,
  ...more,
});

calls.plain = () => client.chat.complete(params(HELLO));
calls.stream = async () => {
  const events = [];
  for await (const event of await client.chat.stream(params(HELLO))) events.push(event);
  return events;
};
calls.tool = () => client.chat.complete(params(WEATHER, { tools }));
