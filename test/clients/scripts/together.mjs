import Together from 'together-ai';

const client = new Together({ baseURL: `${BASE_URL}/v1`, apiKey: API_KEY, defaultHeaders: HEADERS });
Object.assign(calls, chatCalls(client, 'meta-llama/Llama-3.3-70B-Instruct-Turbo'));
