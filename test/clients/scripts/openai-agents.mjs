import { Agent, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true);
const client = new OpenAI({ baseURL: `${BASE_URL}/v1`, apiKey: API_KEY, defaultHeaders: HEADERS });
const getWeather = tool({
  name: 'get_weather',
  description: 'tells the weather',
  strict: false,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: [],
    additionalProperties: true,
  },
  execute: ({ city }) => `21 °C in ${city}`,
});
const agent = new Agent({
  name: 'test',
  instructions: 'Help.',
  model: new OpenAIResponsesModel(client, 'gpt-4o'),
  tools: [getWeather],
});

calls.plain = async () => (await run(agent, HELLO)).finalOutput;
calls.tool = async () => (await run(agent, WEATHER)).finalOutput;
calls.stream = async () => {
  const result = await run(agent, HELLO, { stream: true });
  const pieces = [];
  for await (const piece of result.toTextStream()) pieces.push(piece);
  await result.completed;
  return pieces;
};
