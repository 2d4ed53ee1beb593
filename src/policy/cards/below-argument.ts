import { contextOf, mayBeIdentified } from '../../text/beside.ts';
import type { CallText, PolicyCall, ContextReading } from '../call.ts';
import { objectReading } from '../context-readings.ts';
import { argumentsAt } from './fields.ts';

export function* contextReadingsBelow(call: PolicyCall, path: readonly string[]): Generator<ContextReading> {
  for (const value of argumentsAt(call, path)) {
    const reading = readingOf(value, path);
    if (reading !== undefined) yield reading;
  }
  for (const reading of call.contextReadings()) {
    if (reading.argument !== undefined && isBelow(reading.argument, path)) yield reading;
  }
}

function readingOf(value: unknown, path: readonly string[]): ContextReading | undefined {
  if (typeof value === 'object' && value !== null) return objectReading(value, [], path);
  const name = path.findLast((step) => step !== '*');
  if (typeof value !== 'string' || name === undefined || !mayBeIdentified(value)) return undefined;
  const texts = [{ before: contextOf(name), text: value }];
  return { content: undefined, argument: undefined, texts: () => texts };
}

/**
 * Yields all texts, or the values below a path of the arguments. If this covers all texts, joined adjacent parts
 * follow.
 */
export function* wordTexts(call: PolicyCall, path: readonly string[] | undefined): Generator<CallText> {
  if (path === undefined) yield* call.texts;
  else yield* [...textsBelow(call, path), ...othersAt(call, path)];
  const readsAll = path === undefined || (path.length === 0 && call.input.request.method !== 'llm_call');
  if (!readsAll) return;
  for (const text of call.joined?.() ?? []) yield { raw: text, normalized: text, argument: undefined };
}

export function textsBelow(call: PolicyCall, path: readonly string[]): readonly CallText[] {
  return call.texts.filter(({ argument }) => argument !== undefined && isBelow(argument, path));
}

export function othersAt(call: PolicyCall, path: readonly string[]): readonly CallText[] {
  return argumentsAt(call, path)
    .filter((value) => typeof value === 'number' || typeof value === 'boolean')
    .map((value) => ({ raw: String(value), normalized: String(value), argument: undefined }));
}

function isBelow(argument: NonNullable<CallText['argument']>, path: readonly string[]): boolean {
  return path.every((step, index) => {
    const at = argument[index];
    return at !== undefined && (step === '*' || step === String(at));
  });
}
