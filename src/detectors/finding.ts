/** Detectors as policies and presets call them. */
export type DetectorName =
  | 'secrets'
  | 'email'
  | 'card'
  | 'ssn'
  | 'phone'
  | 'network'
  | 'credentials'
  | 'iban'
  | 'wallet_key'
  | 'seed_phrase'
  | 'prompt_injection'
  | 'injection_learned'
  | 'sql_injection'
  | 'path_traversal'
  | 'path_climb'
  | 'cvv';

/** What data-loss prevention looks for (docs/dlp.md): its detectors speak in these classes. */
export const CONTENT_CLASSES = [
  'secret',
  'email',
  'card',
  'ssn',
  'phone',
  'network',
  'credentials',
  'iban',
  'wallet_key',
  'seed_phrase',
] as const;
export type ContentClass = (typeof CONTENT_CLASSES)[number];

/** What kind of thing was found: a closed set, safe as a metric label. */
export type FindingClass =
  | ContentClass
  /** Families of prompt injection. */
  | 'override'
  | 'persona'
  | 'leak'
  | 'smuggling'
  /** Judged by a model, which tells no family. */
  | 'injection'
  | 'sqli'
  | 'traversal'
  | 'cvv'
  /** What a policy's own words or expressions match. */
  | 'pattern';

/** One match. Holds no text, so that it can be logged. */
export interface Finding {
  readonly detector: DetectorName;
  readonly class: FindingClass;
  /** The rule within the detector, e.g. `aws_access_key_id`; a closed set. */
  readonly rule: string;
  /** UTF-16 units of the text that was searched, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** How sure a model is, 0 to 1; absent where a rule found it. */
  readonly score?: number;
}

/** What is found in one of some texts, by a search that gives up where too much is found in them. */
export interface SearchedText {
  /** In order of `start`. */
  readonly findings: readonly Finding[];
  /** False where it was given up: there may be more. */
  readonly isWhole: boolean;
}

/** Searches whole texts, giving other requests a turn. The n-th result is the n-th text's. */
export type FindAll = (texts: readonly string[]) => Promise<readonly SearchedText[]>;

/** Finds every match in one text, in linear time, in order of `start`. Pure. */
export type Detector = (text: string) => readonly Finding[];

/** Characters before a match that a detector may judge it by: what a scanner of streams keeps of what it has sent. */
export const LOOK_BEHIND_CHARS = 256;

/**
 * A detector for texts that come in chunks. `find` looks back at most `LOOK_BEHIND_CHARS` beyond a match's start; where
 * it sees through characters that print nothing, those do not count.
 *
 * `openFrom(text)` says what is decided: whatever follows `text`, `find` of the whole reports exactly those findings
 * of `find(text)` that end at or before `openFrom(text)`, and no other that begins before it. No finding of
 * `find(text)` that is decided reaches over it. It is `text.length` where nothing is open, and never further from the
 * end than the longest match is long. Linear, and cheap where the text's end is ordinary words.
 */
export interface StreamDetector {
  readonly find: Detector;
  readonly openFrom: (text: string) => number;
}
