const ASKED = [HELLO, 'and then?'];

calls.google_chat = async () => {
  const { GoogleGenAI } = await import('@google/genai');
  const client = new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: BASE_URL } });
  const chat = client.chats.create({ model: 'gemini-2.5-flash' });
  const said = [];
  for (const message of ASKED) {
    let text = '';
    for await (const chunk of await chat.sendMessageStream({ message })) text += chunk.text ?? '';
    said.push(text);
  }
  return said;
};

/** Parts of two answers, in order, each with its text. The first one calls a tool and continues. */
const parts = (model) => async () => {
  const { streamText, jsonSchema, tool, isStepCount, stepCountIs } = await import('ai');
  const tools = {
    look: tool({ description: 'looks', inputSchema: jsonSchema({ type: 'object' }), execute: () => 'seen' }),
  };
  const messages = [];
  const turns = [];
  for (const content of ASKED) {
    messages.push({ role: 'user', content });
    const result = streamText({
      ...{ model: await model(), messages, tools, stopWhen: (isStepCount ?? stepCountIs)(3), maxRetries: 0 },
      onError: () => undefined,
    });
    const said = [];
    for await (const part of result.stream ?? result.fullStream) {
      if (part.type === 'error') said.push(`error: ${String(part.error)}`);
      if (part.type === 'reasoning-start' || part.type === 'text-start')
        said.push(`${part.type.split('-')[0]}: `);
      if (part.type === 'reasoning-delta' || part.type === 'text-delta') said[said.length - 1] += part.text;
      if (part.type === 'tool-call') said.push(`call: ${part.toolName}`);
    }
    turns.push(said);
    messages.push(...(await result.response).messages);
  }
  return turns;
};
const options = { baseURL: `${BASE_URL}/v1`, apiKey: API_KEY };

calls.ai_xai = parts(async () => (await import('@ai-sdk/xai')).createXai(options).chat('grok-4'));
calls.ai_deepseek = parts(async () =>
  (await import('@ai-sdk/deepseek')).createDeepSeek({ ...options, baseURL: BASE_URL })('deepseek-chat'),
);
calls.ai_compatible = parts(async () =>
  (await import('@ai-sdk/openai-compatible')).createOpenAICompatible({ name: 'other', ...options })('gpt-4o'),
);
