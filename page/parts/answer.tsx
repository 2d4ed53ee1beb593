import type { ComponentChildren } from 'preact';

import { ProblemError } from '../api.ts';
import type { Loaded } from '../loaded.ts';

export function ProblemText({ problem }: { readonly problem: Error }) {
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
  if (!(problem instanceof ProblemError)) return `The page failed: ${problem.message}`;
  if (problem.status === 403) return `Not allowed: ${problem.message}`;
  return problem.message;
}

export function Answer<T>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, problem } = loaded;
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
