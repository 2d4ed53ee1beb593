import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** Runs a call in a separate session, and closes it. */
const ask = async (question) => {
  const client = new Client({ name: 'app', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${API_KEY}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(BASE_URL), { requestInit: { headers } }));
  try {
    return await question(client);
  } finally {
    await client.close();
  }
};

calls.initialize = () => ask((client) => client.getServerVersion().name);
calls.list = () => ask(async (client) => (await client.listTools()).tools.map(({ name }) => name));
calls.call = () =>
  ask(async (client) => (await client.callTool({ name: 'echo', arguments: { text: HELLO } })).content);
calls.denied = () => ask((client) => client.callTool({ name: 'say', arguments: {} }));
