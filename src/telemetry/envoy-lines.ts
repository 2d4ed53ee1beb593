import { createAnonymousLines, type AnonymousLinesOptions } from './anonymous-lines.ts';

export interface EnvoyLinesOptions extends AnonymousLinesOptions {
  /** Where a line that may be written goes. */
  readonly write: (line: string, from: 'stdout' | 'stderr') => void;
}

/** Envoy's own output, in which those who send what is no request have a bounded number of lines. */
export interface EnvoyLines {
  take(line: string, from: 'stdout' | 'stderr'): void;
  /** Tells what is still counted, before the process ends. */
  flush(): void;
}

/**
 * Passes Envoy's output on, but of requests that it refused by itself no more than `maxPerMinute` lines, whoever sent
 * them. No key was asked for before, so none of them can be told from a stranger's.
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
 * Of a line of the access log (`accessLog` in envoy/render.ts, its names in alphabetical order): Envoy answered before
 * it made an id, or to an upgrade. What a client writes stands behind, in `method`, and its quotes are escaped.
 */
const REFUSED_BY_ENVOY =
  /^\{"answer_id":(?:null|"[^"]*"),"details":(?:"upgrade_failed"|(?:null|"[^"]*"),"flags":(?:null|"[^"]*"),"id":null)/;

function isRefusedByEnvoy(line: string): boolean {
  return REFUSED_BY_ENVOY.test(line);
}
