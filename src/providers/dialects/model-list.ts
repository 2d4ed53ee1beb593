import type { AnswerFacts, Dialect } from '../dialect.ts';
import type { RequestFacts } from '../request-facts.ts';
import { PromptCollector } from './prompt-collector.ts';

export const EMPTY_REQUEST: RequestFacts = new PromptCollector().facts([]);

export const EMPTY_ANSWER: AnswerFacts = { usage: undefined, texts: [] };

/** `GET …/models`: no body, no cost, nothing to read. */
export const modelList: Dialect = {
  name: 'model-list',
  hasBody: false,
  request: () => EMPTY_REQUEST,
  answer: () => EMPTY_ANSWER,
  stream: () => undefined,
};
