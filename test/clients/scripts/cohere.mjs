import { CohereClientV2 } from 'cohere-ai';

const client = new CohereClientV2({ token: API_KEY, environment: BASE_URL });
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
  model: 'command-r-08-2024',
  messages: [{ role: 'user', content }],
  maxTokens: 200,
  ...more,
});
const options = { headers: HEADERS };

calls.plain = () => client.chat(params(HELLO), options);
calls.stream = async () => {
  const events = [];
  for await (const event of await client.chatStream(params(HELLO), options)) events.push(event);
  return events;
};
calls.tool = () => client.chat(params(WEATHER, { tools }), options);
