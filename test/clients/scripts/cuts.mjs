// Each call makes one stream. Prints its text and, if the client reports it, how it ended.
const ASKED = [{ role: 'user', content: HELLO }];

const read = async (stream, textOf) => {
  let said = '';
  for await (const event of await stream) said += textOf(event) ?? '';
  return said;
};
const delta = ({ choices }) => choices[0]?.delta?.content;

const openai = async () => {
  const { default: OpenAI } = await import('openai');
  return new OpenAI({ baseURL: `${BASE_URL}/v1`, apiKey: API_KEY, maxRetries: 0 });
};

calls.openai_chat = async () =>
  read((await openai()).chat.completions.create({ model: 'gpt-4o', messages: ASKED, stream: true }), delta);

calls.openai_responses = async () =>
  read((await openai()).responses.create({ model: 'gpt-4o', input: HELLO, stream: true }), (event) =>
    event.type === 'response.output_text.delta' ? event.delta : '',
  );

calls.anthropic = async () => {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({ baseURL: BASE_URL, apiKey: API_KEY, maxRetries: 0 });
  const body = { model: 'claude-3-haiku-20240307', max_tokens: 100, messages: ASKED, stream: true };
  return read(client.messages.create(body), (event) => event.delta?.text);
};

calls.google = async () => {
  const { GoogleGenAI } = await import('@google/genai');
  const client = new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: BASE_URL } });
  const asked = { model: 'gemini-2.0-flash', contents: HELLO };
  return read(client.models.generateContentStream(asked), ({ text }) => text);
};

calls.generative_ai = async () => {
  const { GoogleGenerativeAI } = await import('@google/generative-ai');
  const client = new GoogleGenerativeAI(API_KEY);
  const model = client.getGenerativeModel({ model: 'gemini-2.0-flash' }, { baseUrl: BASE_URL });
  const { stream, response } = await model.generateContentStream(HELLO);
  response.catch(() => undefined);
  return read(stream, (chunk) => chunk.text());
};

calls.cohere_v2 = async () => {
  const { CohereClientV2 } = await import('cohere-ai');
  const client = new CohereClientV2({ token: API_KEY, environment: BASE_URL, maxRetries: 0 });
  return read(client.chatStream({ model: 'command-r-08-2024', messages: ASKED }), (event) => {
    if (event.type === 'content-delta') return event.delta.message.content.text;
    return event.type === 'message-end' ? `<${event.delta.finishReason}: ${event.delta.error}>` : '';
  });
};

calls.cohere_v1 = async () => {
  const { CohereClient } = await import('cohere-ai');
  const client = new CohereClient({ token: API_KEY, environment: BASE_URL, maxRetries: 0 });
  return read(client.chatStream({ model: 'command-r-08-2024', message: HELLO }), (event) => {
    if (event.eventType === 'text-generation') return event.text;
    return event.eventType === 'stream-end' ? `<${event.finishReason}: ${event.message}>` : '';
  });
};

calls.mistral = async () => {
  const { Mistral } = await import('@mistralai/mistralai');
  const client = new Mistral({ apiKey: API_KEY, serverURL: BASE_URL });
  return read(client.chat.stream({ model: 'mistral-small-latest', messages: ASKED }), ({ data }) =>
    delta(data),
  );
};

calls.groq = async () => {
  const { default: Groq } = await import('groq-sdk');
  const client = new Groq({ baseURL: BASE_URL, apiKey: API_KEY, maxRetries: 0 });
  return read(
    client.chat.completions.create({ model: 'llama-3.3-70b-versatile', messages: ASKED, stream: true }),
    delta,
  );
};

calls.together = async () => {
  const { default: Together } = await import('together-ai');
  const client = new Together({ baseURL: `${BASE_URL}/v1`, apiKey: API_KEY, maxRetries: 0 });
  return read(
    client.chat.completions.create({
      model: 'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      messages: ASKED,
      stream: true,
    }),
    delta,
  );
};

calls.ollama = async () => {
  const { Ollama } = await import('ollama');
  const client = new Ollama({ host: BASE_URL, headers: { authorization: `Bearer ${API_KEY}` } });
  return read(client.chat({ model: 'any', messages: ASKED, stream: true }), ({ message }) => message.content);
};

/** Returns the last error that `ai` passes to `onError`, or the text of an answer that it considers complete. */
const ai = async (model) => {
  const { streamText } = await import('ai');
  const failures = [];
  const { fullStream } = streamText({ model, prompt: HELLO, maxRetries: 0, onError: () => undefined });
  const said = await read(fullStream, (part) => {
    if (part.type === 'error') failures.push(part.error);
    return part.type === 'text-delta' ? part.text : '';
  });
  const failure = failures.at(-1);
  if (failure === undefined) return said;
  throw failure instanceof Error ? failure : new Error(JSON.stringify(failure));
};

const KEY_AT = (path) => ({ apiKey: API_KEY, baseURL: BASE_URL + path });

calls.ai_openai_chat = async () =>
  ai((await import('@ai-sdk/openai')).createOpenAI(KEY_AT('/v1')).chat('gpt-4o'));
calls.ai_openai_responses = async () =>
  ai((await import('@ai-sdk/openai')).createOpenAI(KEY_AT('/v1')).responses('gpt-4o'));
calls.ai_anthropic = async () =>
  ai((await import('@ai-sdk/anthropic')).createAnthropic(KEY_AT('/v1'))('claude-3-haiku-20240307'));
calls.ai_google = async () =>
  ai((await import('@ai-sdk/google')).createGoogleGenerativeAI(KEY_AT('/v1beta'))('gemini-2.0-flash'));
calls.ai_mistral = async () =>
  ai((await import('@ai-sdk/mistral')).createMistral(KEY_AT('/v1'))('mistral-small-latest'));
calls.ai_groq = async () =>
  ai((await import('@ai-sdk/groq')).createGroq(KEY_AT('/v1'))('llama-3.3-70b-versatile'));
calls.ai_cohere = async () =>
  ai((await import('@ai-sdk/cohere')).createCohere(KEY_AT('/v2'))('command-r-08-2024'));
calls.ai_azure_chat = async () =>
  ai((await import('@ai-sdk/azure')).createAzure(KEY_AT('/openai')).chat('gpt-4o'));
calls.ai_azure_responses = async () =>
  ai((await import('@ai-sdk/azure')).createAzure(KEY_AT('/openai')).responses('gpt-4o'));
