import type { Dialect } from '../provider.ts';
import { objectOf } from './fields.ts';
import { openaiChat } from './openai-chat.ts';

const chat = openaiChat({ limitFields: ['max_tokens', 'max_completion_tokens'], asksUsage: true });

/** Gemini behind OpenAI's chat API: Google's own switches come in `extra_body.google`, a stored prompt among them. */
export const geminiCompatibleChat: Dialect = {
  ...chat,
  name: 'gemini-compatible-chat',
  request(body, endpoint) {
    const request = chat.request(body, endpoint);
    const google = objectOf(objectOf(body.extra_body).google);
    const cached = google.cached_content ?? google.cachedContent ?? body.cached_content;
    return cached === undefined || cached === null ? request : { ...request, unseenContent: true };
  },
};
