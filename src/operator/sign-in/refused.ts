/** A refused sign-in, with a message for the person. */
export class SignInRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SignInRefused';
  }
}
