import { contextOf, mayBeIdentified } from '../../text/beside.ts';
import type { CallText, PolicyCall, ContextReading } from '../call.ts';
import { objectReading } from '../context-readings.ts';
import { argumentsAt } from './fields.ts';

/** Readings of what stands at a path below a tool's arguments. */
export function* contextReadingsBelow(call: PolicyCall, path: readonly string[]): Generator<ContextReading> {
  for (const value of argumentsAt(call, path)) {
    if (typeof value === 'object' && value !== null) yield objectReading(value, [], path);
    else if (typeof value === 'string') yield* contextReadingsAt(path, value);
  }
  for (const reading of call.contextReadings()) {
    if (reading.argument !== undefined && isBelow(reading.argument, path)) yield reading;
  }
}

/** A value behind the name of its argument. */
function* contextReadingsAt(path: readonly string[], text: string): Generator<ContextReading> {
  const name = path.findLast((step) => step !== '*');
  if (name === undefined || !mayBeIdentified(text)) return;
  const told = [{ before: contextOf(name), text }];
  yield { document: undefined, argument: undefined, texts: () => told };
}

/**
 * The texts in which words are looked for: of a call, or below a tool's arguments, and what neighbouring parts say together.
 * @param path below `arguments`; undefined for all texts
 */
export function* wordTexts(call: PolicyCall, path: readonly string[] | undefined): Generator<CallText> {
  if (path === undefined) yield* call.texts;
  else yield* [...textsBelow(call, path), ...othersAt(call, path)];
  const isOfAll = path === undefined || (path.length === 0 && call.input.request.method !== 'llm_call');
  if (!isOfAll) return;
  for (const text of call.joined?.() ?? []) yield { raw: text, normalized: text, argument: undefined };
}

/** Texts of a call at a path below a tool's arguments. */
export function textsBelow(call: PolicyCall, path: readonly string[]): readonly CallText[] {
  return call.texts.filter(({ argument }) => argument !== undefined && isBelow(argument, path));
}

/** What is no text there, as it would be written. */
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
