import type { ErrorShape } from './descriptor.ts';
import { providers, type Provider } from './registry.ts';

type ShapeRow = readonly [RegExp, ErrorShape];

/**
 * Maximum length of the names in one pattern. Envoy limits patterns to 100 program steps, about one per character. The
 * gateway's renderer adds about 30.
 */
const MAX_NAMES_CHARS = 40;

/**
 * Shapes by `/<provider>/<path>`; first match wins. Envoy uses them too, so patterns must be short and valid in RE2.
 */
export const ERROR_SHAPES: readonly ShapeRow[] = errorShapes(Object.values(providers));

/** Returns the rows for single paths, then the rows for whole providers, grouped by shape. */
function errorShapes(all: readonly Provider[]): ShapeRow[] {
  const single = all.flatMap(({ name, errorShapesAt = [] }) =>
    errorShapesAt.map(([path, shape]): ShapeRow => [
      new RegExp(`^/${name}${path.source.replace(/^\^/, '')}`),
      shape,
    ]),
  );
  const shapes = new Set(all.map(({ errorShape }) => errorShape));
  const whole = [...shapes].flatMap((shape) =>
    alternatives(all.filter(({ errorShape }) => errorShape === shape)).map((names): ShapeRow => [
      new RegExp(`^/${names.includes('|') ? `(${names})` : names}(/|$)`),
      shape,
    ]),
  );
  return [...single, ...whole];
}

function alternatives(some: readonly Provider[]): string[] {
  const rows: string[] = [];
  for (const { name } of some) {
    const last = rows.at(-1);
    if (last === undefined || last.length + name.length >= MAX_NAMES_CHARS) rows.push(name);
    else rows[rows.length - 1] = `${last}|${name}`;
  }
  return rows;
}

/** Returns undefined if the path (`/<provider>/<path>`, without a key segment) contains no provider. */
export function errorShapeOf(path: string): ErrorShape | undefined {
  return ERROR_SHAPES.find(([pattern]) => pattern.test(path))?.[1];
}
