/** A sign-in that was refused; the message is for the person who tried. */
export class SignInRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SignInRefused';
  }
}
