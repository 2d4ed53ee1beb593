import Groq from 'groq-sdk';

// It adds `/openai` itself, which the provider's own base URL has.
const client = new Groq({
  baseURL: BASE_URL.replace(/\/openai$/, ''),
  apiKey: API_KEY,
  defaultHeaders: HEADERS,
});
Object.assign(calls, chatCalls(client, 'llama-3.1-8b-instant'));
