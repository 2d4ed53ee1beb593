import type { Awaitable } from '../turns.ts';

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

/** Finding classes: a closed set, safe for metric labels. */
export type FindingClass =
  | ContentClass
  /** Prompt injection families. */
  | 'override'
  | 'persona'
  | 'leak'
  | 'smuggling'
  | 'injection'
  | 'sqli'
  | 'traversal'
  | 'cvv'
  /** Matched by a policy's words or expressions. */
  | 'pattern';

/** One match. Safe to log, because it contains no text. */
export interface Finding {
  readonly detector: DetectorName;
  readonly class: FindingClass;
  /** Rule name within the detector, such as `aws_access_key_id`; from a closed set. */
  readonly rule: string;
  /** Offsets in UTF-16 code units of the scanned text; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Model confidence, 0 to 1; absent for rules. */
  readonly score?: number;
}

export interface SearchedText {
  /** Ordered by `start`. */
  readonly findings: readonly Finding[];
  /** False if the scan hit its limit, so there may be more findings. */
  readonly isWhole: boolean;
}

/** Scans texts of any length in event-loop turns. Returns one result per text, in the same order. */
export type FindAll = (texts: readonly string[]) => Awaitable<readonly SearchedText[]>;

/** Returns all matches in a text, ordered by `start`. Pure; takes linear time. */
export type Detector = (text: string) => readonly Finding[];

/** Characters before a match that a detector may inspect. Stream scanners keep as many characters of sent text. */
export const LOOK_BEHIND_CHARS = 256;

/**
 * A detector for text that arrives in chunks. `find` looks back at most `LOOK_BEHIND_CHARS` visible characters.
 *
 * `openFrom(text)` returns the start of the undecided part, or `text.length`. Further text neither changes the findings
 * before this offset nor adds one that begins before it, and no finding crosses it. The undecided part is never longer
 * than the longest match. Takes linear time and is cheap for ordinary words.
 */
export interface StreamDetector {
  readonly find: Detector;
  readonly openFrom: (text: string) => number;
}
