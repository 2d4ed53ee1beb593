import Groq from 'groq-sdk';

// The client adds `/openai` itself, although the provider's base URL contains it.
const client = new Groq({
  baseURL: BASE_URL.replace(/\/openai$/, ''),
  apiKey: API_KEY,
  defaultHeaders: HEADERS,
});
Object.assign(calls, chatCalls(client, 'llama-3.1-8b-instant'));
