/** One thing that is wrong with the configuration. Never carries a value: values may be secrets. */
export interface Problem {
  /** Where it was written: `gateway.yaml:3:5`, `environment SERVER_PORT`, `command line`, or the file alone. */
  readonly where: string;
  /** Dotted path of the key, empty for the file as a whole. */
  readonly path: string;
  /** The rule that the value breaks, or what to do. */
  readonly message: string;
}

/** The configuration cannot be used. The message lists every problem, one a line. */
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
