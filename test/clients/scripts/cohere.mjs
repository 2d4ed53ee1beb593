import { CohereClientV2 } from 'cohere-ai';

const client = new CohereClientV2({ token: API_KEY, environment: BASE_URL });
const params = (content, more = {}) => ({
  model: 'command-r-08-2024',
  messages: [{ role: 'user', content }],
  maxTokens: 200,
  ...more,
});
const options = { headers: HEADERS };

calls.plain = () => client.chat(params(HELLO), options);
calls.stream = () => collect(client.chatStream(params(HELLO), options));
calls.tool = () => client.chat(params(WEATHER, { tools: TOOLS }), options);
