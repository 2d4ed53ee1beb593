/** Invalid policies. The message names file, line and column if known, and the remedy. */
export class PolicyFilesError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PolicyFilesError';
  }
}
