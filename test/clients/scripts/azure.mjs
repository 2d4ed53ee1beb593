import { AzureOpenAI } from 'openai';

const client = new AzureOpenAI({
  endpoint: BASE_URL,
  deployment: 'gpt-4o',
  apiVersion: '2024-10-21',
  apiKey: API_KEY,
  defaultHeaders: HEADERS,
});
const params = { model: 'gpt-4o', messages: [{ role: 'user', content: HELLO }], max_tokens: 200 };

calls.plain = () => client.chat.completions.create(params);
calls.stream = async () => {
  const chunks = [];
  for await (const chunk of await client.chat.completions.create({ ...params, stream: true }))
    chunks.push(chunk);
  return chunks;
};
