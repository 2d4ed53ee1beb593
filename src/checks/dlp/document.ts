import type { JsonPath } from '../../json/path.ts';

/** Called for everything in a JSON document that can carry words. `path` is only lent: copy what is to be kept. */
export interface DocumentVisitor {
  /** @param name the nearest member name above it */
  string(text: string, name: string | undefined, path: JsonPath): void;
  number(value: number, name: string | undefined, path: JsonPath): void;
  /** @param path the member's own */
  memberName(name: string, path: JsonPath): void;
}

/** Goes through a parsed document, each member's name before its value. Its nesting was bounded by the parser. */
export function visitDocument(json: unknown, visitor: DocumentVisitor): void {
  visitValue(json, undefined, [], visitor);
}

function visitValue(
  value: unknown,
  name: string | undefined,
  path: (string | number)[],
  visitor: DocumentVisitor,
): void {
  if (typeof value === 'string') {
    if (value !== '') visitor.string(value, name, path);
  } else if (typeof value === 'number') {
    visitor.number(value, name, path);
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      path.push(index);
      visitValue(value[index], name, path, visitor);
      path.pop();
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.keys(value)) {
      path.push(member);
      visitor.memberName(member, path);
      visitValue((value as Record<string, unknown>)[member], member, path, visitor);
      path.pop();
    }
  }
}
