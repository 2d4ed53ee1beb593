/** Detectors as policies and presets call them. */
export type DetectorName = 'secrets' | 'prompt_injection' | 'sql_injection' | 'path_traversal' | 'cvv';

/** What kind of thing was found: a closed set, safe as a metric label. */
export type FindingClass =
  | 'secret'
  /** Families of prompt injection. */
  | 'override'
  | 'persona'
  | 'leak'
  | 'smuggling'
  | 'sqli'
  | 'traversal'
  | 'cvv';

/** One match. Holds no text, so that it can be logged. */
export interface Finding {
  readonly detector: DetectorName;
  readonly class: FindingClass;
  /** The rule within the detector, e.g. `aws_access_key_id`; a closed set. */
  readonly rule: string;
  /** UTF-16 units of the text that was searched, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Finds every match in one text, in linear time, in order of `start`. Pure. */
export type Detector = (text: string) => readonly Finding[];
