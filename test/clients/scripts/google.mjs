import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: API_KEY,
  // The mock only supports this version. The pages are run with the client's default.
  httpOptions: { baseUrl: BASE_URL, headers: HEADERS, apiVersion: 'v1beta' },
});
const tools = [
  {
    functionDeclarations: [
      { name: 'get_weather', parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } },
    ],
  },
];
const params = (contents, more = {}) => ({
  model: 'gemini-2.0-flash',
  contents,
  config: { maxOutputTokens: 200, ...more },
});
const read = ({ candidates, usageMetadata }) => ({ candidates, usageMetadata });

calls.plain = async () => read(await client.models.generateContent(params(HELLO)));
calls.stream = async () => (await collect(client.models.generateContentStream(params(HELLO)))).map(read);
calls.tool = async () => read(await client.models.generateContent(params(WEATHER, { tools })));
calls.tool_stream = async () =>
  (await collect(client.models.generateContentStream(params(WEATHER, { tools })))).map(read);
