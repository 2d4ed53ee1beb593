import { go, npm, pypi, type ClientRecipe } from '../support/clients/recipe.ts';

/** httpx 0.28 removed an argument with which older clients build their connection. */
const OLD_HTTPX = 'httpx==0.27.2';

/** It loads these at once, without declaring them. */
const COHERES_OWN = [
  '@aws-crypto/sha256-js@5.2.0',
  '@aws-sdk/credential-providers@3.587.0',
  '@aws-sdk/protocol-http@3.374.0',
  '@aws-sdk/signature-v4@3.374.0',
];

/**
 * Every client that the suite runs: the oldest version of each that still runs on the Python and Node of today and
 * speaks the provider's present API, and the newest tested one. To try a newer one, change it here.
 */
export const CLIENTS = {
  openaiPython: [pypi('openai', '1.6.1', [OLD_HTTPX]), pypi('openai', '3.54.0')],
  openaiJs: [npm('openai', '4.104.0'), npm('openai', '7.57.0')],
  openaiGo: [go('github.com/openai/openai-go', 'v1.12.0'), go('github.com/openai/openai-go/v3', 'v3.96.0')],
  // The first that calls tools outside of its beta.
  anthropicPython: [pypi('anthropic', '0.28.0', [OLD_HTTPX]), pypi('anthropic', '2.12.0')],
  anthropicJs: [npm('@anthropic-ai/sdk', '0.24.0'), npm('@anthropic-ai/sdk', '1.12.0')],
  anthropicGo: [
    go('github.com/anthropics/anthropic-sdk-go', 'v1.2.0'),
    go('github.com/anthropics/anthropic-sdk-go', 'v1.84.0'),
  ],
  googlePython: [pypi('google-genai', '1.0.0', [OLD_HTTPX]), pypi('google-genai', '3.4.0')],
  // Up to 1.32 every line of a stream is parsed as JSON.
  googleJs: [npm('@google/genai', '1.32.0'), npm('@google/genai', '3.1.0')],
  generativeAiJs: [npm('@google/generative-ai', '0.24.1')],
  googleGo: [go('google.golang.org/genai', 'v1.1.0'), go('google.golang.org/genai', 'v1.77.0')],
  boto3: [pypi('boto3', '1.37.0'), pypi('boto3', '1.44.5')],
  // The first with Converse.
  awsJs: [
    npm('@aws-sdk/client-bedrock-runtime', '3.587.0'),
    npm('@aws-sdk/client-bedrock-runtime', '3.1164.0'),
  ],
  coherePython: [pypi('cohere', '5.13.0', [OLD_HTTPX]), pypi('cohere', '7.3.1')],
  cohereJs: [npm('cohere-ai', '7.14.0', COHERES_OWN), npm('cohere-ai', '8.1.0')],
  mistralPython: [pypi('mistralai', '1.2.0', [OLD_HTTPX]), pypi('mistralai', '3.7.0')],
  mistralJs: [npm('@mistralai/mistralai', '1.3.0', ['zod@3.23.8']), npm('@mistralai/mistralai', '2.7.0')],
  groqPython: [pypi('groq', '0.9.0', [OLD_HTTPX]), pypi('groq', '1.7.0')],
  groqJs: [npm('groq-sdk', '0.3.0'), npm('groq-sdk', '1.6.0')],
  togetherPython: [pypi('together', '1.2.7'), pypi('together', '3.1.1')],
  togetherJs: [npm('together-ai', '0.10.0'), npm('together-ai', '0.52.0')],
  ollamaPython: [pypi('ollama', '0.4.0', [OLD_HTTPX]), pypi('ollama', '0.6.3')],
  // The first that sends headers of ours.
  ollamaJs: [npm('ollama', '0.5.14'), npm('ollama', '0.6.4')],
  // Newer ones call no tools without the extra `mcp`.
  litellm: [pypi('litellm', '1.74.0'), pypi('litellm', '1.106.2', ['litellm[mcp]==1.106.2'])],
  langchainPython: [
    pypi('langchain-openai', '0.2.0', ['langchain-anthropic==0.2.0', OLD_HTTPX]),
    pypi('langchain-openai', '1.7.3', ['langchain-anthropic==1.7.7', 'langchain-google-genai==4.4.2']),
  ],
  langchainJs: [
    npm('@langchain/openai', '1.6.0', [
      '@langchain/core@1.4.0',
      '@langchain/anthropic@1.5.11',
      '@langchain/google-genai@2.3.2',
    ]),
  ],
  ai: [
    npm('ai', '5.0.0', [
      '@ai-sdk/openai@2.0.0',
      '@ai-sdk/anthropic@2.0.0',
      '@ai-sdk/google@2.0.0',
      'zod@4.1.0',
    ]),
    npm('ai', '7.0.173', [
      '@ai-sdk/openai@4.0.118',
      '@ai-sdk/anthropic@4.0.105',
      '@ai-sdk/google@4.0.121',
      '@ai-sdk/mistral@4.0.87',
      '@ai-sdk/groq@4.0.84',
      '@ai-sdk/cohere@4.0.52',
      '@ai-sdk/azure@4.0.85',
      'zod@4.6.7',
    ]),
  ],
  langchaingo: [go('github.com/tmc/langchaingo', 'v0.1.14')],
  autogen: [pypi('autogen-agentchat', '0.7.5', ['autogen-ext[openai]==0.7.5'])],
  haystack: [pypi('haystack-ai', '3.4.1')],
  strands: [pypi('strands-agents', '1.62.0', ['strands-agents[openai]==1.62.0'])],
  pydanticAi: [pypi('pydantic-ai-slim', '2.68.0', ['pydantic-ai-slim[openai,anthropic,google]==2.68.0'])],
  openaiAgentsPython: [pypi('openai-agents', '0.24.0')],
  openaiAgentsJs: [npm('@openai/agents', '0.20.0', ['zod@4.6.7'])],
  // The first that speak Streamable HTTP; mcp 1.8.0 waits forever if any server answers with an HTTP error.
  mcpPython1: [pypi('mcp', '1.8.1', ['pydantic==2.11.4']), pypi('mcp', '1.30.0')],
  mcpPython2: [pypi('mcp', '2.3.0')],
  mcpJs: [npm('@modelcontextprotocol/sdk', '1.10.0'), npm('@modelcontextprotocol/sdk', '1.32.2')],
  mcpConformance: [
    npm('@modelcontextprotocol/conformance', '0.1.16'),
    npm('@modelcontextprotocol/conformance', '0.2.0-alpha.12'),
  ],
  mcpGo: [go('github.com/modelcontextprotocol/go-sdk/mcp', 'v1.8.0')],
} as const satisfies Readonly<Record<string, readonly ClientRecipe[]>>;
