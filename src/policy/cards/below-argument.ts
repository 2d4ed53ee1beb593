import { contextOf, mayBeTold } from '../../text/beside.ts';
import type { CallText, PolicyCall, ToldReading } from '../call.ts';
import { objectReading } from '../told-readings.ts';
import { argumentsAt } from './fields.ts';

/** Readings of what stands at a path below a tool's arguments. */
export function* toldBelow(call: PolicyCall, path: readonly string[]): Generator<ToldReading> {
  for (const value of argumentsAt(call, path)) {
    if (typeof value === 'object' && value !== null) yield objectReading(value, [], path);
    else if (typeof value === 'string') yield* toldAt(path, value);
  }
  for (const reading of call.told()) {
    if (reading.argument !== undefined && isBelow(reading.argument, path)) yield reading;
  }
}

/** A value behind the name of its argument. */
function* toldAt(path: readonly string[], text: string): Generator<ToldReading> {
  const name = path.findLast((step) => step !== '*');
  if (name === undefined || !mayBeTold(text)) return;
  const told = [{ before: contextOf(name), text }];
  yield { document: undefined, argument: undefined, texts: () => told };
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
