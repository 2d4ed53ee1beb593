/** A problem in the configuration. Contains no values that may be secret. */
export interface Problem {
  /** Source of the key: `gateway.yaml:3:5`, `environment SERVER_PORT`, `command line`, or the file name. */
  readonly where: string;
  /** Dotted path of the key; empty if the problem is not about a key. */
  readonly path: string;
  /** The violated rule, or the remedy. */
  readonly message: string;
}

/** An invalid configuration. The message lists every problem on its own line. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export function formatProblem(problem: Problem): string {
  return [problem.where, problem.path, problem.message].filter((part) => part !== '').join(': ');
}
