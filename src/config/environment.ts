import type { Problem } from './problems.ts';

/** The environment of the process. The CLI passes it on; no other code reads it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads `SERVER_INSECURE_DEV`, which lifts the TLS requirement. Reports values other than true and false. */
export function readInsecureDev(env: Environment, problems: Problem[]): boolean {
  const value = env['SERVER_INSECURE_DEV'] ?? '';
  if (!['', 'true', 'false'].includes(value)) {
    problems.push({
      where: 'environment SERVER_INSECURE_DEV',
      path: '',
      message: 'must be true or false',
    });
  }
  return value === 'true';
}

export interface Filled {
  readonly text: string;
  readonly filled: boolean;
  readonly problems: readonly string[];
}

/** An expression without a closing brace matches to the end, and is left unchanged. */
const EXPRESSION = /\$\$\{|\$\{([^}]*)(\}|$)/g;

/** Substitutes `${NAME}` and `${NAME:-default}`, without recursion. `$${` is a literal `${`. */
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
