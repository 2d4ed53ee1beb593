import { isObject, type JsonObject } from '../json/is-object.ts';
import { objectOf } from './dialects/fields.ts';

export interface AnswerIdentity {
  readonly id: string | undefined;
  /** One reason per finished choice, in order of choice index. */
  readonly finishReasons: readonly string[];
}

export interface IdentityReader {
  /** Reads a whole answer, or one stream event. Never throws. */
  add(document: unknown): void;
  readonly identity: AnswerIdentity;
}

const MAX_CHOICES = 16;
/** Ids and reasons must be single words, so that answer text cannot pass as one. */
const ID = /^[\w.:=/+@-]{1,128}$/;
const REASON = /^\w[\w.-]{0,63}$/;
const UNFINISHED: ReadonlySet<string> = new Set(['in_progress', 'queued']);

const WRAPPED = ['response', 'message', 'delta', 'messageStop'] as const;

/** One reader serves all dialects, because compatible servers mix them. No member name has two meanings. */
export function createIdentityReader(): IdentityReader {
  let id: string | undefined;
  const reasons = new Map<number, string>();

  function finish(choice: unknown, reason: unknown): void {
    if (typeof reason !== 'string' || !REASON.test(reason) || UNFINISHED.has(reason)) return;
    const index = typeof choice === 'number' ? choice : 0;
    if (reasons.has(index) || reasons.size < MAX_CHOICES) reasons.set(index, reason);
  }

  function read(document: JsonObject): void {
    const named = document.id ?? document.responseId ?? document.generation_id;
    if (id === undefined && typeof named === 'string' && ID.test(named)) id = named;
    finish(0, document.finish_reason ?? document.stop_reason ?? document.stopReason ?? document.done_reason);
    if (document.object === 'response') finish(0, stateOf(document));
    for (const list of [document.choices, document.candidates]) {
      if (!Array.isArray(list)) continue;
      for (const [at, item] of list.slice(0, MAX_CHOICES).entries()) {
        const choice = objectOf(item);
        finish(choice.index ?? at, choice.finish_reason ?? choice.finishReason);
      }
    }
  }

  return {
    add(document) {
      if (!isObject(document)) return;
      read(document);
      for (const name of WRAPPED) if (isObject(document[name])) read(document[name]);
    },
    get identity() {
      const byChoice = [...reasons].toSorted(([a], [b]) => a - b);
      return { id, finishReasons: byChoice.map(([, reason]) => reason) };
    },
  };
}

function stateOf(response: JsonObject): unknown {
  return objectOf(response.incomplete_details).reason ?? response.status;
}
