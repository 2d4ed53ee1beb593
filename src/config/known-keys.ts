import { configJsonSchema } from './schema.ts';
import { nearestName } from './nearest-name.ts';

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly anyOf?: readonly SchemaNode[];
}

/** What to say of a key that does not exist: the nearest name beside it, or where a key of that name belongs. */
export function unknownKeyMessage(group: readonly PropertyKey[], key: string): string {
  if (group.join('.') === 'server' && key === 'insecure_dev') {
    return 'is set by the environment variable SERVER_INSECURE_DEV alone';
  }
  const root: SchemaNode = configJsonSchema();
  const near = nearestName(key, Object.keys(nodeAt(root, group)?.properties ?? {}));
  if (near !== undefined) return `unknown key; did you mean ${near}?`;
  const elsewhere = keyPathsOf(root, []).find((path) => path.at(-1) === key);
  return elsewhere === undefined ? 'unknown key' : `unknown key here; did you mean ${elsewhere.join('.')}?`;
}

function nodeAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = root;
  for (const step of path) {
    if (node?.anyOf) node = node.anyOf.find((option) => option.properties);
    const named: SchemaNode | undefined = node?.properties?.[String(step)];
    const rest: SchemaNode | undefined =
      typeof node?.additionalProperties === 'object' ? node.additionalProperties : undefined;
    node = typeof step === 'number' ? node?.items : (named ?? rest);
  }
  return node?.properties ? node : node?.anyOf?.find((option) => option.properties);
}

function keyPathsOf(node: SchemaNode, prefix: readonly string[]): string[][] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const path = [...prefix, name];
    return [path, ...keyPathsOf(child, path)];
  });
}
