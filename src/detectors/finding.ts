import type { Awaitable } from '../turns.ts';

/** Detector names in policies and presets. */
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

/** Kinds of findings: a closed set, safe as a metric label. */
export type FindingClass =
  | ContentClass
  /** Families of prompt injection. */
  | 'override'
  | 'persona'
  | 'leak'
  | 'smuggling'
  | 'injection'
  | 'sqli'
  | 'traversal'
  | 'cvv'
  /** Matched by words or expressions of a policy. */
  | 'pattern';

/** One match. Contains no text and can be logged. */
export interface Finding {
  readonly detector: DetectorName;
  readonly class: FindingClass;
  /** The rule within the detector, such as `aws_access_key_id`. Rules are a closed set. */
  readonly rule: string;
  /** Offset in UTF-16 units of the searched text; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Confidence of a model, 0 to 1; absent for rules. */
  readonly score?: number;
}

export interface SearchedText {
  /** In order of `start`. */
  readonly findings: readonly Finding[];
  /** False if the search hit its limit: there may be more. */
  readonly isWhole: boolean;
}

/** Searches texts of any length in turns of the event loop. The n-th result belongs to the n-th text. */
export type FindAll = (texts: readonly string[]) => Awaitable<readonly SearchedText[]>;

/** Returns all matches in one text, in order of `start`, in linear time. Pure. */
export type Detector = (text: string) => readonly Finding[];

/** Number of characters before a match that a detector may read. Stream scanners keep this much of the sent text. */
export const LOOK_BEHIND_CHARS = 256;

/**
 * A detector for texts that arrive in chunks. `find` looks back at most `LOOK_BEHIND_CHARS` visible characters.
 *
 * `openFrom(text)` returns the end of the decided part, or `text.length`. More text neither changes findings in that
 * part nor adds a finding that begins in it, and no decided finding crosses its end. The undecided part is never longer
 * than the longest match. Runs in linear time, and is cheap for ordinary words.
 */
export interface StreamDetector {
  readonly find: Detector;
  readonly openFrom: (text: string) => number;
}
