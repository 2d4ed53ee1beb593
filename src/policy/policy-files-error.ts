/** Policies that cannot be used; the message names file, line and column where it can, and the remedy. */
export class PolicyFilesError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PolicyFilesError';
  }
}
