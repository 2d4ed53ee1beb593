import { Mistral } from '@mistralai/mistralai';
import { HTTPClient } from '@mistralai/mistralai/lib/http.js';

const httpClient = new HTTPClient();
httpClient.addHook('beforeRequest', (request) => {
  const next = new Request(request);
  for (const [name, value] of Object.entries(HEADERS)) next.headers.set(name, value);
  return next;
});
const client = new Mistral({ apiKey: API_KEY, serverURL: BASE_URL, httpClient });
const params = (content, more = {}) => ({
  model: 'mistral-small-latest',
  messages: [{ role: 'user', content }],
  maxTokens: 200,
  ...more,
});

calls.plain = () => client.chat.complete(params(HELLO));
calls.stream = () => collect(client.chat.stream(params(HELLO)));
calls.tool = () => client.chat.complete(params(WEATHER, { tools: TOOLS }));
