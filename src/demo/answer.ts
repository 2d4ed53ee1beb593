import { isObject } from '../json/is-object.ts';

export interface DemoRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** Empty if the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type DemoReply =
  | { readonly kind: 'whole'; readonly body: object }
  /** Complete server-sent events, in order. */
  | { readonly kind: 'stream'; readonly events: readonly string[] };

/** An echo of the last message. */
export interface DemoAnswer {
  /** Pieces of about one token. */
  readonly pieces: readonly string[];
  readonly truncated: boolean;
  readonly inputTokens: number;
}

const MAX_ECHO_CHARS = 200;
const CHARS_PER_TOKEN = 4;

/** @param messages as received, in any of the dialects */
export function demoAnswer(messages: unknown, maxTokens: number | undefined): DemoAnswer {
  const prompt = lastText(messages);
  const echo = prompt.length > MAX_ECHO_CHARS ? `${prompt.slice(0, MAX_ECHO_CHARS)}…` : prompt;
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
