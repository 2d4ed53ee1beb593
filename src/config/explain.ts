import { Document, isPair, isScalar, isSeq, visit } from 'yaml';
import { configKeys } from './config-keys.ts';
import type { ConfigInput } from './schema.ts';

/** Writes a configuration as YAML in which each key has its description above it. */
export function explainConfig(written: ConfigInput): string {
  const descriptions = new Map(configKeys().map(({ path, description }) => [path, description]));
  const document = new Document(written);
  visit(document, {
    Pair(_position, pair, ancestors) {
      const steps = [...ancestors, pair].flatMap((node) => {
        if (isPair(node) && isScalar(node.key)) return [`.${String(node.key.value)}`];
        return isSeq(node) ? ['[]'] : [];
      });
      const description = descriptions.get(steps.join('').slice(1));
      if (isScalar(pair.key) && description) pair.key.commentBefore = ` ${description}`;
    },
  });
  return document.toString({ lineWidth: 0 });
}
