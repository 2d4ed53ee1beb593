import type { RequestFacts } from '../providers/provider.ts';
import { userTurns } from './user-turns.ts';
import { replaceSpans, type Replacement } from '../text/replace-spans.ts';

/** Characters in which surroundings are looked for; what comes after them is taken as it stands. */
const MAX_CHARS = 262_144;
/** What a part costs, however short: no agent puts its words into as many thousands of parts as that leaves room for. */
const PART_CHARS = 16;

/** What a person asked first in this request; undefined where there is no user's text. */
export function firstAskedTurn(request: RequestFacts): string | undefined {
  return askedIn(userTurns(request));
}

/** What a person asked last in this request; undefined where there is no user's text. */
export function lastAskedTurn(request: RequestFacts): string | undefined {
  return askedIn(userTurns(request).reverse());
}

/**
 * The first of these turns in which a person asks something, without what agents put around it (their surroundings,
 * rules, reminders); where none is left then, the first as it stands. What is left out here is inspected like every
 * other text: this only says what a session is about.
 */
function askedIn(turns: readonly (readonly string[])[]): string | undefined {
  let left = MAX_CHARS;
  function asked(part: string): string {
    left -= PART_CHARS + part.length;
    return left < 0 ? part : withoutSurroundings(part);
  }
  for (const parts of turns) {
    const turn = parts
      .map(asked)
      .filter((part) => part !== '')
      .join('\n');
    if (turn !== '') return turn;
  }
  return turns[0]?.join('\n');
}

/**
 * What agents put around a person's words, as elements: `<system-reminder>…</system-reminder>`,
 * `<environment_context>…`, `<INSTRUCTIONS>…`. Names of one plain word are left alone: people write HTML and XML.
 */
const TAG = /<(\/?)((?=[A-Za-z0-9_-]*[-_])[A-Za-z][A-Za-z0-9_-]{2,63}|[A-Z]{4,32})(?: [^<>]{0,200})?>/g;

/** Messages that are nothing else, by how they begin. */
const OPENINGS = [
  /^This is (?:the )?[\w .-]{1,40}\. We are setting up the context for our chat\./,
  /^I have \*added these files to the chat\*/,
  /^I am not sharing any files that you can edit yet\.$/,
  /^Here are (?:some )?(?:summaries of some files|\*read-only\* files|READ ONLY files)/i,
  /^# (?:AGENTS|CLAUDE|GEMINI|QWEN)\.md instructions for [^\n]{1,4096}$/,
];

/** No opening is shorter. */
const MIN_OPENING_CHARS = 24;

/** The text without what its agent put around it; empty where nothing else is left. One pass over the text. */
function withoutSurroundings(text: string): string {
  const rest = (text.includes('<') ? withoutElements(text) : text).trim();
  if (rest.length < MIN_OPENING_CHARS) return rest;
  return OPENINGS.some((opening) => opening.test(rest)) ? '' : rest;
}

/** Elements may hold others; a tag without its other, or crossed by another element, is text. */
function withoutElements(text: string): string {
  const opened = new Map<string, number>();
  const elements: Replacement[] = [];
  for (const { 0: tag, 1: slash, 2: name = '', index } of text.matchAll(TAG)) {
    const start = opened.get(name);
    if (slash === '') {
      if (start === undefined) opened.set(name, index);
      continue;
    }
    opened.delete(name);
    const last = elements.at(-1);
    const crosses = last !== undefined && start !== undefined && start > last.start && start < last.end;
    if (start !== undefined && !crosses) elements.push({ start, end: index + tag.length, text: '' });
  }
  return replaceSpans(text, elements);
}
