import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${BASE_URL}/v1`,
  apiKey: API_KEY,
  defaultHeaders: HEADERS,
  maxRetries: 2,
});
Object.assign(calls, chatCalls(client, 'gpt-4o'));
calls.embedding = () => client.embeddings.create({ model: 'text-embedding-3-small', input: [HELLO] });
calls.models = async () => (await collect(client.models.list())).map(({ id }) => id);
const asked = { model: 'gpt-4o', input: HELLO, max_output_tokens: 200 };
calls.response = () => client.responses.create(asked);
calls.response_stream = () => collect(client.responses.create({ ...asked, stream: true }));
