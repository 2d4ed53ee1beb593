import type { KeyRecord } from '../../auth/key-record.ts';
import { configuredAddress } from '../../exec/gateway-address.ts';
import { basePath } from '../../exec/provider-variables.ts';
import { providers, type Provider } from '../../providers/registry.ts';
import type { PageServices } from '../services.ts';
import { findKey } from './keys.ts';
import { route, type Route } from './route.ts';
import { connect, type Connect } from './schemas/keys.ts';

export function connectRoutes(services: PageServices): readonly Route[] {
  const { config } = services;
  return [
    route({
      method: 'GET',
      path: '/api/connect/{keyId}',
      summary: 'Snippets that configure clients for a key',
      role: 'viewer',
      owners: true,
      answer: connect,
      handle: async ({ params: { keyId = '' }, who }) => {
        const record = await findKey(services, keyId, who);
        const address = configuredAddress(config, undefined).url.href.replace(/\/$/, '');
        const server = config.mcp.enabled ? config.mcp.servers[0]?.name : undefined;
        return {
          key_hash: record.keyHash,
          name: record.name,
          address,
          snippets: snippetsFor({ address, record, server }),
        };
      },
    }),
  ];
}

type Snippet = Connect['snippets'][number];

interface SnippetFacts {
  /** Without a trailing slash. */
  readonly address: string;
  readonly record: Pick<KeyRecord, 'provider' | 'allowedModels' | 'credentials'>;
  readonly server: string | undefined;
}

/** Values inserted into a snippet. `model` is a JSON string, valid in all snippet languages. */
interface SnippetValues {
  readonly url: string;
  readonly model: string;
  /** Environment variable with the provider's key; undefined if none is needed, or the gateway manages it. */
  readonly providerKey: string | undefined;
}

const HEADER = 'X-Gateway-Provider-Key';

/** Returns snippets for known clients that can use the key. The snippets read keys from environment variables. */
function snippetsFor({ address, record, server }: SnippetFacts): Snippet[] {
  const { provider } = record;
  const { exec, needsKey }: Provider = providers[provider];
  const hasCredential = (record.credentials ?? []).length > 0;
  const variable = hasCredential || !needsKey ? undefined : exec.keys[0];
  const model = modelOf(record, exec.model);
  const values = (path: string): SnippetValues => ({
    url: address + path,
    model: JSON.stringify(model),
    providerKey: variable,
  });
  const openai = basePath('openai', provider);
  const anthropic = basePath('anthropic', provider);
  const gemini = basePath('gemini', provider);
  return [
    ...(openai === undefined ? [] : openAiSnippets(values(openai))),
    ...(anthropic === undefined ? [] : anthropicSnippets(values(anthropic))),
    ...(gemini === undefined ? [] : geminiSnippets(values(gemini))),
    ...(server === undefined ? [] : mcpSnippets(`${address}/mcp/${server}`)),
  ];
}

function modelOf({ allowedModels = [] }: SnippetFacts['record'], usual = 'MODEL'): string {
  return allowedModels.find((model) => !/[*?]/.test(model)) ?? usual;
}

function python(name: string, { providerKey }: SnippetValues, indent: string): string {
  return providerKey === undefined ? '' : `\n${indent}${name}{"${HEADER}": os.environ["${providerKey}"]},`;
}

function javascript(name: string, { providerKey }: SnippetValues, indent: string): string {
  return providerKey === undefined ? '' : `\n${indent}${name}: { '${HEADER}': process.env.${providerKey} },`;
}

function openAiSnippets(values: SnippetValues): Snippet[] {
  const { url, model, providerKey } = values;
  const header = providerKey === undefined ? '' : ` -H "${HEADER}: $${providerKey}"`;
  const message = '[{"role": "user", "content": "Hello!"}]';
  return [
    snippet('curl', 'curl', 'sh', [
      `curl ${url}/chat/completions \\`,
      `  -H "Authorization: Bearer $GATEWAY_KEY"${header} -H 'Content-Type: application/json' \\`,
      `  -d '{"model": ${shellQuoted(model)}, "max_tokens": 100, "messages": ${message}}'`,
    ]),
    snippet('openai-python', 'OpenAI SDK, Python', 'python', [
      'import os',
      'from openai import OpenAI',
      '',
      'client = OpenAI(',
      `    base_url="${url}",`,
      `    api_key=os.environ["GATEWAY_KEY"],${python('default_headers=', values, '    ')}`,
      ')',
      `answer = client.chat.completions.create(model=${model}, max_tokens=100, messages=${message})`,
      'print(answer.choices[0].message.content)',
    ]),
    snippet('openai-javascript', 'OpenAI SDK, JavaScript', 'js', [
      "import OpenAI from 'openai';",
      '',
      'const client = new OpenAI({',
      `  baseURL: '${url}',`,
      `  apiKey: process.env.GATEWAY_KEY,${javascript('defaultHeaders', values, '  ')}`,
      '});',
      `const answer = await client.chat.completions.create({ model: ${model}, max_tokens: 100, messages: ${message} });`,
      'console.log(answer.choices[0].message.content);',
    ]),
    snippet('langchain', 'LangChain', 'python', [
      'import os',
      'from langchain_openai import ChatOpenAI',
      '',
      'model = ChatOpenAI(',
      `    model=${model},`,
      `    base_url="${url}",`,
      `    api_key=os.environ["GATEWAY_KEY"],${python('default_headers=', values, '    ')}`,
      '    max_tokens=100,',
      ')',
      'print(model.invoke("Hello!").content)',
    ]),
    snippet('vercel-ai', 'AI SDK', 'js', [
      "import { createOpenAI } from '@ai-sdk/openai';",
      "import { generateText } from 'ai';",
      '',
      'const openai = createOpenAI({',
      `  baseURL: '${url}',`,
      `  apiKey: process.env.GATEWAY_KEY,${javascript('headers', values, '  ')}`,
      '});',
      `const { text } = await generateText({ model: openai(${model}), prompt: 'Hello!', maxOutputTokens: 100 });`,
      'console.log(text);',
    ]),
    execSnippet('codex', 'Codex'),
    execSnippet('opencode', 'opencode'),
  ];
}

function anthropicSnippets(values: SnippetValues): Snippet[] {
  const { url, model } = values;
  const message = '[{"role": "user", "content": "Hello!"}]';
  return [
    snippet('anthropic-python', 'Anthropic SDK, Python', 'python', [
      'import os',
      'from anthropic import Anthropic',
      '',
      'client = Anthropic(',
      `    base_url="${url}",`,
      `    api_key=os.environ["GATEWAY_KEY"],${python('default_headers=', values, '    ')}`,
      ')',
      `answer = client.messages.create(model=${model}, max_tokens=100, messages=${message})`,
      'print(answer.content[0].text)',
    ]),
    snippet('anthropic-javascript', 'Anthropic SDK, JavaScript', 'js', [
      "import Anthropic from '@anthropic-ai/sdk';",
      '',
      'const client = new Anthropic({',
      `  baseURL: '${url}',`,
      `  apiKey: process.env.GATEWAY_KEY,${javascript('defaultHeaders', values, '  ')}`,
      '});',
      `const answer = await client.messages.create({ model: ${model}, max_tokens: 100, messages: ${message} });`,
      'console.log(answer.content[0].text);',
    ]),
    execSnippet('claude', 'Claude Code'),
  ];
}

function geminiSnippets(values: SnippetValues): Snippet[] {
  const { url, model } = values;
  return [
    snippet('google-genai-python', 'Google Gen AI SDK, Python', 'python', [
      'import os',
      'from google import genai',
      '',
      'client = genai.Client(',
      '    api_key=os.environ["GATEWAY_KEY"],',
      '    http_options={',
      `        "base_url": "${url}",${python('"headers": ', values, '        ')}`,
      '    },',
      ')',
      `answer = client.models.generate_content(model=${model}, contents="Hello!")`,
      'print(answer.text)',
    ]),
    execSnippet('gemini', 'Gemini CLI'),
  ];
}

function mcpSnippets(url: string): Snippet[] {
  return [
    snippet('mcp', 'MCP client', 'json', [
      '{',
      '  "mcpServers": {',
      `    "gateway": { "type": "http", "url": "${url}", "headers": { "Authorization": "Bearer $GATEWAY_KEY" } }`,
      '  }',
      '}',
    ]),
  ];
}

/** `gateway exec` configures an agent for one run and hides both keys from it. */
function execSnippet(command: string, title: string): Snippet {
  return snippet(command, title, 'sh', [`GATEWAY_PROXY_KEY=$GATEWAY_KEY gateway exec -- ${command}`]);
}

function snippet(client: string, title: string, language: string, lines: readonly string[]): Snippet {
  return { client, title, language, text: lines.join('\n') };
}

/** Escapes a string for single quotes in a shell. */
function shellQuoted(text: string): string {
  return text.replaceAll("'", String.raw`'\''`);
}
