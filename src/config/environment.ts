import type { ConfigInput } from './schema.ts';
import type { Problem } from './problems.ts';

/** The environment that the CLI was started with: handed in, never read elsewhere. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Environment variables that override keys of the file (docs/serving.md#configuration). */
export const ENVIRONMENT_OVERRIDES = {
  SERVER_PORT: ['server', 'port'],
  SERVER_ADMIN_HOST: ['server', 'admin_host'],
  LOG_LEVEL: ['server', 'log_level'],
  REDIS_ADDR: ['redis', 'addr'],
  REDIS_PASSWORD: ['redis', 'password'],
} as const satisfies Record<string, readonly [keyof ConfigInput, string]>;

/** Reads `SERVER_INSECURE_DEV`: `true` alone lifts the TLS requirement; a misspelt value must not pass silently. */
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
  /** Something was filled in. */
  readonly filled: boolean;
  readonly problems: readonly string[];
}

/** One that is not closed is read to the end of the value, and left as it is. */
const EXPRESSION = /\$\$\{|\$\{([^}]*)(\}|$)/g;

/** Fills `${NAME}` and `${NAME:-default}` into a value; `$${` stands for a literal `${`. Not recursive. */
export function fillEnvironment(value: string, env: Environment): Filled {
  const problems: string[] = [];
  let filled = false;
  const text = value.replace(EXPRESSION, (whole, expression: string | undefined, end: string): string => {
    if (expression === undefined) return '${';
    if (end === '') return whole;
    const match = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/.exec(expression);
    const name = match?.[1];
    if (name === undefined) {
      problems.push('holds a ${…} that is neither ${NAME} nor ${NAME:-default} ($${ is a literal ${)');
      return whole;
    }
    filled = true;
    const found = env[name];
    if (match?.[2] !== undefined) return found === undefined || found === '' ? match[2] : found;
    if (found === undefined) {
      problems.push(
        `needs the environment variable ${name}, which is not set (\${${name}:-default} gives it a default)`,
      );
    }
    return found ?? '';
  });
  return { text, filled, problems };
}
