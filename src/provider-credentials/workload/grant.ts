/** Short-lived credentials that a cloud gives to the workload that asks. */
export interface Granted {
  readonly value: string;
  /** Unix ms; undefined if unknown. */
  readonly endsAt: number | undefined;
}

/** Time for one request. Those that a cloud never answers would pile up. */
export const REQUEST_MS = 8_000;

/** Asks a cloud for new credentials. Its errors may quote an answer, and are not shown. */
export type Grant = () => Promise<Granted>;

/** A failure whose message contains no secret. */
export class Refused extends Error {}
