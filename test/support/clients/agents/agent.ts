import type { ProviderName } from '../../../../src/providers/provider.ts';
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
  /** What it says where it keeps the message of a refusal in the gateway's own form from its user. */
  readonly instead?: { readonly budget?: RegExp; readonly lock?: RegExp; readonly key?: RegExp };
}
