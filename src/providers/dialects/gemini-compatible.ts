import type { Dialect } from '../provider.ts';
import { openaiChat } from './openai-chat.ts';

const chat = openaiChat({ limitFields: ['max_tokens', 'max_completion_tokens'], asksUsage: true });

/** Gemini behind OpenAI's chat API, whose own switches come in `extra_body.google`, a stored prompt among them. */
export const geminiCompatibleChat: Dialect = {
  ...chat,
  name: 'gemini-compatible-chat',
  request(body, endpoint) {
    const request = chat.request(body, endpoint);
    return request.storedPrompt === undefined ? request : { ...request, unseenContent: true };
  },
};
