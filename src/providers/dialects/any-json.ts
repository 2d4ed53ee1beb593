import type { StreamReader, TextDelta } from '../provider.ts';
import { plainCut } from './cuts.ts';
import { parseJson } from './fields.ts';
import { textsIn } from './json-text.ts';

/**
 * Reads a stream of no known dialect: an endpoint that the gateway does not know, or an error. Every string is a text
 * whose channel is its path; none counts as the model's.
 */
export function createAnyJsonReader(): StreamReader {
  return {
    read(frame) {
      const json = parseJson(frame.data);
      const deltas = textsIn(json, [])
        .filter((found) => found.editable === undefined)
        .map(({ text, path }): TextDelta => ({
          channel: `any/${path.join('.')}`,
          kind: 'text',
          text,
          path,
          repeats: true,
        }));
      return {
        frame,
        deltas,
        ...(json !== undefined && { json }),
        ...(frame.data === '[DONE]' && { ends: ['*'] }),
      };
    },
    cut: plainCut,
  };
}
