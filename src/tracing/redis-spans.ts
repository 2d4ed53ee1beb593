import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { OnCommand } from '../redis/watch-commands.ts';
import type { RequestTraces } from './request-traces.ts';

/** Commands sent together, recorded as one span. */
interface Batch {
  readonly part: object | undefined;
  add(operation: string): (failed: boolean) => void;
}

/**
 * Returns a listener that creates a span for each Redis round trip, named after the command, without arguments.
 * Pipelines are named as in OpenTelemetry's Redis conventions.
 */
export function redisSpans(traces: Pick<RequestTraces, 'child' | 'current'>): OnCommand {
  let latest: Batch | undefined;
  return (name) => {
    const part = traces.current();
    if (part === undefined) return undefined;
    if (latest?.part !== part) {
      latest = beginBatch(traces, part);
      // Later commands belong to the next round trip.
      queueMicrotask(() => (latest = undefined));
    }
    return latest?.add(name.toUpperCase());
  };
}

function beginBatch(traces: Pick<RequestTraces, 'child'>, part: object): Batch | undefined {
  const span = traces.child('redis', SpanKind.CLIENT, { 'db.system.name': 'redis' });
  if (span === undefined) return undefined;
  const operations = new Set<string>();
  let size = 0;
  let answered = 0;
  return {
    part,
    add(operation) {
      size += 1;
      operations.add(operation);
      return (failed) => {
        answered += 1;
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        if (answered < size) return;
        const name = batchName([...operations], size);
        span.updateName(name).setAttribute('db.operation.name', name);
        if (size > 1) span.setAttribute('db.operation.batch.size', size);
        span.end();
      };
    },
  };
}

function batchName([only = '', another]: readonly string[], size: number): string {
  if (another !== undefined) return 'PIPELINE';
  return size === 1 ? only : `PIPELINE ${only}`;
}
