import type { JsonPath } from '../../json/path.ts';
import type { Media, PromptText, RequestFacts } from '../request-facts.ts';
import { textsIn } from './json-text.ts';

export type TextRole = Pick<PromptText, 'role' | 'kind'>;

export const ROLE = {
  userText: { role: 'user', kind: 'text' },
  systemText: { role: 'system', kind: 'text' },
  toolDefinition: { role: 'system', kind: 'tool_definition' },
  toolArguments: { role: 'assistant', kind: 'tool_arguments' },
  toolResult: { role: 'tool', kind: 'tool_result' },
} as const satisfies Readonly<Record<string, TextRole>>;

export class PromptCollector {
  readonly texts: PromptText[] = [];
  readonly media: Media[] = [];
  unseenContent = false;
  /** See `RequestFacts.undecoded`. */
  undecoded = false;
  #encodedPrompt: JsonPath | undefined;

  addText({ role, kind }: TextRole, text: unknown, path: JsonPath): void {
    if (typeof text === 'string' && text !== '') this.texts.push({ role, kind, text, path });
  }

  /** Adds text that must not be edited, such as signatures, encrypted blocks and decoded files. */
  addSealedText({ role, kind }: TextRole, text: unknown, path: JsonPath): void {
    if (typeof text === 'string' && text !== '') this.texts.push({ role, kind, text, path, editable: false });
  }

  addThought(
    role: TextRole['role'],
    { text, signature }: { readonly text: unknown; readonly signature: unknown },
    path: JsonPath,
  ): void {
    const isSigned = typeof signature === 'string' && signature !== '';
    if (typeof text !== 'string' || text === '') return;
    this.texts.push({ role, kind: 'reasoning', text, path, ...(isSigned && { signed: true }) });
  }

  /** Adds every string in a value, then its member names and numbers. */
  addTextsIn(place: TextRole & Pick<PromptText, 'editable'>, value: unknown, path: JsonPath): void {
    for (const found of textsIn(value, path)) this.texts.push({ ...place, ...found });
  }

  /** Notes a prompt given as token ids or vectors. Only the first path is kept. */
  addEncodedPrompt(path: JsonPath): void {
    this.unseenContent = true;
    this.#encodedPrompt ??= path;
  }

  /**
   * `models` are all that may serve the request, the requested one first. Assumes one answer without tools or output.
   */
  facts(models: readonly string[]): RequestFacts {
    return {
      model: models[0],
      models,
      stream: false,
      texts: this.texts,
      media: this.media,
      tools: [],
      hostedTools: [],
      choices: 1,
      output: undefined,
      unseenContent: this.unseenContent,
      ...(this.undecoded && { undecoded: true }),
      ...(this.#encodedPrompt !== undefined && { encodedPrompt: this.#encodedPrompt }),
    };
  }
}
