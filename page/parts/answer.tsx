import type { ComponentChildren, JSX } from 'preact';

import { ProblemError } from '../api.ts';
import type { Loaded } from '../loaded.ts';

/** Tells a failure in a sentence. */
export function ProblemText({ problem }: { readonly problem: Error }): JSX.Element {
  const errors = problem instanceof ProblemError ? problem.errors : undefined;
  return (
    <div class="problem" role="alert">
      <p>{sentence(problem)}</p>
      {errors !== undefined && errors.length > 0 && (
        <ul>
          {errors.map(({ at, message }) => (
            <li key={at}>
              {at}: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function sentence(problem: Error): string {
  if (!(problem instanceof ProblemError)) return `This page failed: ${problem.message}`;
  if (problem.status === 403) return `You may not do this: ${problem.message}`;
  return problem.message;
}

/** Shows the data of a view; before they are there, that they are awaited, or why they do not come. */
export function Answer<T>({
  of,
  children,
}: {
  readonly of: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, problem } = of;
  return (
    <>
      {problem !== undefined && <ProblemText problem={problem} />}
      {data !== undefined && children(data)}
      {data === undefined && problem === undefined && (
        <p class="loading" role="status">
          Loading …
        </p>
      )}
    </>
  );
}
