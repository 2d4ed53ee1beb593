import type { ProviderName } from '../../../../src/providers/registry.ts';
import type { ClientRecipe } from '../recipe.ts';

/** An agent that people run in a terminal, and the page by which they set it up. */
export interface Agent {
  readonly recipe: ClientRecipe;
  /** Of `docs/clients`. */
  readonly page: string;
  readonly provider: ProviderName;
  /** Off with telemetry and updates, which would call home; nothing that changes what is sent to a model. */
  readonly quiet: Readonly<Record<string, string>>;
  /**
   * How its loop is tried: it reads the file by a tool of its own, it calls a tool that is no file's, or it changes
   * the file by what the model writes.
   */
  readonly loop: 'reads_file' | 'calls_tool' | 'edits_file';
  readonly speaksMcp: boolean;
  /** Its web search, where that is a request of its own with nothing but a tool that the provider runs. */
  readonly search?: WebSearch;
  /** `server.error_format` that its page recommends. */
  readonly errorFormat?: 'native';
  /** Requests at most that a refusal costs, where the agent repeats what it is told not to; 6 unless set. */
  readonly mostRefused?: { readonly budget?: number };
  /** What it says where it keeps the message of a refusal from its user. */
  readonly instead?: { readonly budget?: RegExp };
}

export interface WebSearch {
  /** What the model calls. */
  readonly tool: string;
  /** What the agent sends then, as `proxy.provider_tools` names it. */
  readonly type: string;
}
