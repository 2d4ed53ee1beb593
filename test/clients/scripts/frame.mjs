const { BASE_URL, API_KEY, PROVIDER_KEY } = process.env;
const HEADERS = JSON.parse(process.env.HEADERS);
const HELLO = 'say something';
const WEATHER = 'what is the weather like in Zürich?';
const calls = {};

// HERE ARE THE CALLS: functions of `calls`

const tell = (call, outcome) => process.stdout.write(`${JSON.stringify({ call, ...outcome })}\n`);
for (const name of process.env.CALLS.split(' ')) {
  try {
    tell(name, { value: (await calls[name]()) ?? null });
  } catch (thrown) {
    // What gives up after several attempts throws an error that holds the last one's.
    const error = thrown.lastError ?? thrown;
    const status = error.status ?? error.statusCode ?? error.status_code ?? error.$metadata?.httpStatusCode;
    tell(name, {
      error: { type: error.constructor.name, message: error.message, ...(status && { status }) },
    });
  }
}
