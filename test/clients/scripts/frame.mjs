const { BASE_URL, API_KEY, PROVIDER_KEY } = process.env;
const HEADERS = JSON.parse(process.env.HEADERS);
const HELLO = 'say something';
const WEATHER = 'what is the weather like in Zürich?';
const calls = {};

/** A tool in the format of chat APIs. */
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];
const collect = async (stream) => {
  const events = [];
  for await (const event of await stream) events.push(event);
  return events;
};

/** Calls of a client with the structure of OpenAI's. */
const chatCalls = (client, model) => {
  const ask = (content, more = {}) =>
    client.chat.completions.create({
      model,
      messages: [{ role: 'user', content }],
      max_tokens: 200,
      ...more,
    });
  return {
    plain: () => ask(HELLO),
    stream: () => collect(ask(HELLO, { stream: true })),
    tool: () => ask(WEATHER, { tools: TOOLS }),
    tool_stream: () => collect(ask(WEATHER, { tools: TOOLS, stream: true })),
  };
};

// HERE ARE THE CALLS: functions of `calls`

/** `X-Gateway-Error-Type`, in the place where each client keeps the headers of an error. */
const typeOf = (error) => {
  const {
    headers = error.responseHeaders ?? (error.rawResponse ?? error.$response ?? error.response)?.headers,
  } = error;
  const name = 'x-gateway-error-type';
  return typeof headers?.get === 'function' ? headers.get(name) : headers?.[name];
};

const tell = (call, outcome) => process.stdout.write(`${JSON.stringify({ call, ...outcome })}\n`);
for (const name of process.env.CALLS.split(' ')) {
  try {
    tell(name, { value: (await calls[name]()) ?? null });
  } catch (thrown) {
    // A client that gives up after several attempts wraps the error of the last one.
    const error = thrown.lastError ?? thrown;
    const status = error.status ?? error.statusCode ?? error.status_code ?? error.$metadata?.httpStatusCode;
    const gatewayType = typeOf(error);
    tell(name, {
      error: {
        type: error.constructor.name,
        message: error.message,
        ...(status && { status }),
        ...(gatewayType && { gatewayType }),
      },
    });
  }
}
