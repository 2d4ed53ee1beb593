import type { Finding, SearchedText } from '../../detectors/finding.ts';

/** Searches texts, and gives other requests a turn meanwhile. The n-th result is the n-th text's. */
export type FindAll = (texts: readonly string[]) => Promise<readonly SearchedText[]>;

/** One thing that was found. Holds its text, so it is neither logged nor kept. */
export interface Found {
  readonly finding: Finding;
  readonly text: string;
}

/** Characters `start` to `end` (exclusive) of a text. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The texts of one body. What is repeated is searched once, so that it is masked alike everywhere. */
export interface ScanBatch {
  /** @param name the member name above it, which may give away what it is: `"aws_secret_access_key": "…"` */
  add(text: string, name?: string): void;
  /** A text that is read as it stands, also where the same stands elsewhere as a document. */
  addProse(text: string): void;
  /** Arguments of a tool: a JSON document in a string. It is one wherever it stands. */
  addArguments(json: string): void | Promise<void>;
  /**
   * Once, after everything was added.
   * @throws GatewayError invalid_request, upstream_unavailable where it was given up before anything was found
   */
  search(): Promise<void>;
  /** The findings in a text that was added; their offsets are the text's, or those of the arguments as they are read. */
  findingsIn(text: string, name?: string): readonly Finding[];
  /** What is found in a text that was added as prose, in order; offsets are always the text's own. */
  spansIn(text: string): readonly TextSpan[];
  /** The text with `***` in place of its findings. */
  masked(text: string, name?: string): string;
  /** What was found: of each rule the first 64, what is repeated once. */
  readonly found: readonly Found[];
  /** How much was found in all; what is repeated counts once. */
  readonly count: number;
  /** False where the search was given up, as more was found than can be masked: there may be more. */
  readonly isWhole: boolean;
}

/** Longer ones are no names. */
const MAX_NAME_CHARS = 64;

/** A member's name as it stands before its value in JSON, which is where the detectors know such names from. */
export function contextOf(name: string | undefined): string {
  return name === undefined || name.length > MAX_NAME_CHARS ? '' : `${name}": "`;
}
