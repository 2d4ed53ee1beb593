import { createAnonymousLines, type AnonymousLinesOptions } from './anonymous-lines.ts';

export interface EnvoyLinesOptions extends AnonymousLinesOptions {
  /** Writes a line that is allowed. */
  readonly write: (line: string, from: 'stdout' | 'stderr') => void;
}

export interface EnvoyLines {
  take(line: string, from: 'stdout' | 'stderr'): void;
  /** Reports the remaining count before the process ends. */
  flush(): void;
}

/**
 * Forwards Envoy's output, with at most `maxPerMinute` lines about requests that Envoy itself refused: any client can
 * cause them without a verified key.
 */
export function createEnvoyLines({ write, ...options }: EnvoyLinesOptions): EnvoyLines {
  const anonymous = createAnonymousLines(options);
  return {
    take(line, from) {
      if (!isRefusedByEnvoy(line) || anonymous.take('envoy')) write(line, from);
    },
    flush: anonymous.flush,
  };
}

/**
 * Matches an access log line (`accessLog` in envoy/render.ts, names in alphabetical order) of a request that Envoy
 * answered before assigning an id, or of a failed upgrade. Client input follows later in the line, in `method`, with
 * escaped quotes.
 */
const REFUSED_BY_ENVOY =
  /^\{"answer_id":(?:null|"[^"]*"),"details":(?:"upgrade_failed"|(?:null|"[^"]*"),"error_type":(?:null|"[^"]*"),"flags":(?:null|"[^"]*"),"id":null)/;

function isRefusedByEnvoy(line: string): boolean {
  return REFUSED_BY_ENVOY.test(line);
}
