import { GoogleGenerativeAI } from '@google/generative-ai';

const options = { baseUrl: BASE_URL, customHeaders: HEADERS };
const model = (more = {}) =>
  new GoogleGenerativeAI(API_KEY).getGenerativeModel(
    { model: 'gemini-2.0-flash', generationConfig: { maxOutputTokens: 200 }, ...more },
    options,
  );
const tools = [
  {
    functionDeclarations: [
      { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    ],
  },
];

calls.plain = async () => (await model().generateContent(HELLO)).response;
calls.stream = async () => {
  const chunks = [];
  for await (const chunk of (await model().generateContentStream(HELLO)).stream) chunks.push(chunk);
  return chunks;
};
calls.tool = async () => (await model({ tools }).generateContent(WEATHER)).response;
