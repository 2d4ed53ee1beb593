import { isObject } from '../json/is-object.ts';

/** A request as a dialect of the demo provider sees it. */
export interface DemoRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The parsed body; empty where it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type DemoReply =
  | { readonly kind: 'whole'; readonly body: object }
  /** Server-sent events, ready to be written one after the other. */
  | { readonly kind: 'stream'; readonly events: readonly string[] };

/** What the demo model writes: an echo of the last user message, so that a person sees that it arrived. */
export interface DemoAnswer {
  /** The answer in pieces of about one token; together they are its text. */
  readonly pieces: readonly string[];
  /** True where the output limit cut it short. */
  readonly truncated: boolean;
  readonly inputTokens: number;
}

const MAX_ECHO_CHARS = 200;
const CHARS_PER_TOKEN = 4;

/** Works out the answer to a request in either dialect; `messages` is as the client sent it. */
export function demoAnswer(messages: unknown, maxTokens: number | undefined): DemoAnswer {
  const said = lastText(messages);
  const echo = said.length > MAX_ECHO_CHARS ? `${said.slice(0, MAX_ECHO_CHARS)}…` : said;
  const text = `Hello from the demo provider. You said: ${echo === '' ? '(nothing)' : echo}`;
  const words = text.match(/(?<!\s)\s*\S+/g) ?? [];
  const limit = Math.max(0, maxTokens ?? words.length);
  return {
    pieces: words.slice(0, limit),
    truncated: words.length > limit,
    inputTokens: countTokens(JSON.stringify(messages ?? '')),
  };
}

function countTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** The text of the last message: a string, or the text parts of a list. */
function lastText(messages: unknown): string {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = isObject(last) ? last['content'] : undefined;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join(' ');
}

export function finiteNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
