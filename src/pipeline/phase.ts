/**
 * What the checks of one phase ask of their stores: collected while they judge, and sent together, as one step that is
 * done as a whole or not at all. A check hands it to its store; without one, or with one that was not made for it, a store
 * answers at once.
 */
export interface Phase {
  /** All have judged. What is asked later is sent by itself. */
  send(): void;
  /** Nothing of it is to be done: who asked gets `NotDone`. */
  drop(): void;
}

/**
 * A verdict that rests on what was read ahead, at the headers, and may not: it has changed since, or more than passing is
 * to come of it. All that judge by such things do so again, by what is read now (see `Check.repeatable`).
 */
export class JudgeAgain extends Error {
  /** The check that asked for it, for `gateway_judged_again_total`. */
  readonly by: string;

  constructor(by: string) {
    super('what was read ahead is not enough to judge by');
    this.name = 'JudgeAgain';
    this.by = by;
  }
}

/** What was asked was not done, because something else of its phase was refused; that tells why by itself. */
export class NotDone extends Error {
  constructor() {
    super('another step of the phase was refused');
    this.name = 'NotDone';
  }
}
