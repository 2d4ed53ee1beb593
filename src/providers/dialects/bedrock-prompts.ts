import type { Dialect, Usage } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { answerReaders, jsonReader, type AnswerReaders } from './answer-reader.ts';
import { bedrockCut } from './error-frames.ts';
import { arrayOf, limitAt, objectOf, plainUsage, requiredString, tokenCount } from './fields.ts';
import { PromptCollector, ROLE } from './prompt-collector.ts';
import { addMedium, addUnknown } from './media.ts';
import { eachIn, type Places, textIn } from './places.ts';

/** A model family's own body format for `invoke`. Streams carry JSON documents in event-stream frames. */
export interface InvokeFamily extends AnswerReaders {
  readonly name: string;
  readonly request: Dialect['request'];
}

interface PromptFormat {
  readonly prompts: readonly string[];
  /** Path of the output limit. Absent if nothing is generated. */
  readonly limit?: readonly [string] | readonly [string, string];
  /** Paths to the text of an answer or stream chunk: a member, or a member of each array element. */
  readonly texts?: readonly (readonly [name: string] | readonly [list: string, name: string])[];
  usage?(answer: JsonObject): Usage | undefined;
}

function promptFamily(name: string, format: PromptFormat): InvokeFamily {
  function placesIn(answer: JsonObject): Places {
    return (format.texts ?? []).map(([member, name]) =>
      name === undefined
        ? textIn('text', answer, member, [], { channel: '0/text' })
        : // Parallel answers are numbered by array index.
          eachIn(answer, member, [], (item, path, index) =>
            textIn('text', item, name, path, { channel: `${index}/text` }),
          ),
    );
  }
  return {
    name,
    request(body, endpoint) {
      const into = new PromptCollector();
      const [first] = format.prompts;
      if (first !== undefined && format.limit !== undefined) requiredString(body, first);
      addUnknown(into, ROLE.userText, withoutImages(into, body), []);
      const [outer, inner] = format.limit ?? [];
      const output = outer === undefined ? undefined : limitAt(body, outer, inner);
      return { ...into.facts([endpoint.model ?? '']), output };
    },
    ...answerReaders(
      (answer) => ({ usage: format.usage?.(answer), places: placesIn(answer) }),
      () =>
        jsonReader(bedrockCut, (chunk) => {
          const usage = format.usage?.(chunk);
          return { places: placesIn(chunk), ...(usage === undefined ? {} : { usage }) };
        }),
    ),
  };
}

/** Removes inline images (Llama's `images`, Titan's `inputImage`) from the body and adds them as media. */
function withoutImages(into: PromptCollector, body: JsonObject): JsonObject {
  const { images, inputImage, ...rest } = body;
  arrayOf(images).forEach((data, index) => {
    addMedium(into, ROLE.userText, { kind: 'image' }, data, ['images', index]);
  });
  addMedium(into, ROLE.userText, { kind: 'image' }, inputImage, ['inputImage']);
  return rest;
}

export const llama = promptFamily('llama', {
  prompts: ['prompt'],
  limit: ['max_gen_len'],
  texts: [['generation']],
  usage: (answer) => plainUsage(answer.prompt_token_count, answer.generation_token_count),
});

export const mistralPrompt = promptFamily('mistral', {
  prompts: ['prompt'],
  limit: ['max_tokens'],
  texts: [['outputs', 'text']],
});

export const deepseekPrompt = promptFamily('deepseek', {
  prompts: ['prompt'],
  limit: ['max_tokens'],
  texts: [['choices', 'text']],
});

export const titanText = promptFamily('titan-text', {
  prompts: ['inputText'],
  limit: ['textGenerationConfig', 'maxTokenCount'],
  texts: [['results', 'outputText'], ['outputText']],
  usage(answer) {
    const written = arrayOf(answer.results).map((result) => tokenCount(objectOf(result).tokenCount) ?? 0);
    const total = written.length > 0 ? written.reduce((a, b) => a + b) : answer.totalOutputTextTokenCount;
    return plainUsage(answer.inputTextTokenCount, total);
  },
});

export const titanEmbed = promptFamily('titan-embed', {
  prompts: ['inputText'],
  usage: (answer) => plainUsage(answer.inputTextTokenCount, 0),
});

export const cohereEmbedFamily = promptFamily('cohere-embed', {
  prompts: ['texts'],
});

export const cohereRerankFamily = promptFamily('cohere-rerank', {
  prompts: ['query', 'documents'],
});
