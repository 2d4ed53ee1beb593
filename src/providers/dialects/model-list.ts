import type { AnswerFacts, Dialect } from '../dialect.ts';
import type { RequestFacts } from '../request-facts.ts';
import { createGathered, gatheredFacts } from './json-text.ts';

export const NOTHING_ASKED: RequestFacts = gatheredFacts(createGathered(), []);

export const NOTHING_SAID: AnswerFacts = { usage: undefined, texts: [] };

/** `GET …/models`: no body, no cost, nothing to read. */
export const modelList: Dialect = {
  name: 'model-list',
  hasBody: false,
  request: () => NOTHING_ASKED,
  answer: () => NOTHING_SAID,
  stream: () => undefined,
};
