import type { Awaitable } from '../turns.ts';
import { createCardSet, loadWordsFor, type CardSet } from './cards/card-set.ts';
import { PolicyFilesError } from './policy-files-error.ts';
import type { PolicyFiles } from './policy-files.ts';
import { policySetOf, type PolicySet } from './policy-set.ts';
import type { RegoEngineOptions } from './rego/engine.ts';
import { RegoFilesError, shownFailure, type RegoFailure } from './rego/rego-error.ts';
import { createRegoSet, type RegoSet } from './rego/rego-set.ts';
import type { RegoFile } from './rego/thread-messages.ts';

export interface LoadedPolicies {
  readonly files: PolicyFiles;
  readonly cards: CardSet;
  readonly rego: RegoSet | undefined;
  readonly set: PolicySet;
}

/** Long limits, because no request waits for this engine and the machine may be busy. */
export const PATIENT_ENGINE: RegoEngineOptions = {
  evaluationMs: 5_000,
  graceMs: 1_000,
  startMs: 60_000,
  waitMs: 60_000,
  maxWaiting: 1_000,
};

const MAX_SHOWN_LINE = 200;

/**
 * @throws PolicyFilesError with all errors in all files, each with its line
 * @throws RegoEvaluationError if the engine cannot compile the Rego files
 */
export async function loadPolicies(files: PolicyFiles, engine = PATIENT_ENGINE): Promise<LoadedPolicies> {
  const problems: string[] = [];
  await loadWordsFor(files.cards);
  const cards = await attempt(() => createCardSet(files.cards, files.overrides, files.overridesMayMiss));
  const rego = await attempt(() => (files.rego.length === 0 ? undefined : createRegoSet(files.rego, engine)));
  if (cards === undefined || problems.length > 0) {
    await rego?.close();
    throw new PolicyFilesError(problems.join('\n'));
  }
  return { files, cards, rego, set: policySetOf(files.digest, cards, rego) };

  async function attempt<Result>(load: () => Awaitable<Result>): Promise<Result | undefined> {
    try {
      return await load();
    } catch (failure) {
      if (failure instanceof PolicyFilesError) problems.push(failure.message);
      else if (failure instanceof RegoFilesError)
        problems.push(...failure.failures.map((error) => shownIn(error, files.rego)));
      else throw failure;
      return undefined;
    }
  }
}

export function shownIn(failure: RegoFailure, files: readonly RegoFile[]): string {
  const { file, row } = failure;
  const text = files.find(({ name }) => name === file)?.text;
  const line = row === undefined ? undefined : text?.split('\n')[row - 1];
  const shown = line?.trimEnd() ?? '';
  if (shown === '') return shownFailure(failure);
  return `${shownFailure(failure)}\n  ${shown.length > MAX_SHOWN_LINE ? `${shown.slice(0, MAX_SHOWN_LINE)}…` : shown}`;
}
