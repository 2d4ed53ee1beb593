import type { Problem } from './problems.ts';

/** The environment of the process. The CLI passes it in; no other code reads it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads `SERVER_INSECURE_DEV`. Only `true` lifts the TLS requirement. Misspelt values are reported. */
export function readInsecureDev(env: Environment, problems: Problem[]): boolean {
  const written = env['SERVER_INSECURE_DEV'] ?? '';
  if (!['', 'true', 'false'].includes(written)) {
    problems.push({
      where: 'environment SERVER_INSECURE_DEV',
      path: '',
      message: 'must be true or false',
    });
  }
  return written === 'true';
}

export interface Filled {
  readonly text: string;
  /** True if at least one variable was substituted. */
  readonly filled: boolean;
  readonly problems: readonly string[];
}

/** Matches to the end of the value if the brace is not closed. Such text is left unchanged. */
const EXPRESSION = /\$\$\{|\$\{([^}]*)(\}|$)/g;

/** Substitutes `${NAME}` and `${NAME:-default}`, not recursively. `$${` is a literal `${`. */
export function fillEnvironment(value: string, env: Environment): Filled {
  const problems: string[] = [];
  let filled = false;
  const text = value.replace(EXPRESSION, (whole, expression: string | undefined, end: string): string => {
    if (expression === undefined) return '${';
    if (end === '') return whole;
    const match = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/.exec(expression);
    const name = match?.[1];
    if (name === undefined) {
      problems.push('has an invalid ${…}: write ${NAME} or ${NAME:-default}, or $${ for a literal ${');
      return whole;
    }
    filled = true;
    const found = env[name];
    if (match?.[2] !== undefined) return found === undefined || found === '' ? match[2] : found;
    if (found === undefined) {
      problems.push(
        `needs the environment variable ${name}, which is not set (write \${${name}:-default} for a default)`,
      );
    }
    return found ?? '';
  });
  return { text, filled, problems };
}
