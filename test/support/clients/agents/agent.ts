import type { ProviderName } from '../../../../src/providers/registry.ts';
import type { ClientRecipe } from '../recipe.ts';

/** An agent that people run in a terminal, and its set-up page. */
export interface Agent {
  readonly recipe: ClientRecipe;
  /** Name in `docs/clients`. */
  readonly page: string;
  readonly provider: ProviderName;
  /** Disables telemetry and updates, which would call home; changes nothing that is sent to a model. */
  readonly quiet: Readonly<Record<string, string>>;
  /**
   * How its loop is tested: it reads the file with its own tool, it calls another tool, or it changes
   * the file by the model's output.
   */
  readonly loop: 'reads_file' | 'calls_tool' | 'edits_file';
  readonly speaksMcp: boolean;
  /** Its web search, if that is a separate request with only a tool of the provider. */
  readonly search?: WebSearch;
  /** `server.error_format` that its page recommends. */
  readonly errorFormat?: 'native';
  /** Maximum requests per refusal, if the agent retries in spite of `x-should-retry`; 6 unless set. */
  readonly mostRefused?: { readonly budget?: number };
  /** Its message if it hides the text of a refusal from its user. */
  readonly instead?: { readonly budget?: RegExp };
}

export interface WebSearch {
  /** The tool that the model calls. */
  readonly tool: string;
  /** The tool that the agent then sends, as named in `proxy.provider_tools`. */
  readonly type: string;
}
