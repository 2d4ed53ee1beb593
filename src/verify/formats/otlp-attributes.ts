import type { TraceFields } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

/** Attributes by their names; OTLP writes them as a list. */
export function attributesOf(written: unknown): TraceFields {
  if (!Array.isArray(written)) return isObject(written) ? written : {};
  return Object.fromEntries(
    written.flatMap((one: unknown) =>
      isObject(one) && typeof one['key'] === 'string' ? [[one['key'], valueOf(one['value'])]] : [],
    ),
  );
}

function valueOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { stringValue, intValue, doubleValue, boolValue, arrayValue, kvlistValue } = value;
  if (isObject(arrayValue)) {
    const { values } = arrayValue;
    return Array.isArray(values) ? values.map(valueOf) : [];
  }
  if (isObject(kvlistValue)) return attributesOf(kvlistValue['values']);
  return stringValue ?? intValue ?? doubleValue ?? boolValue;
}
