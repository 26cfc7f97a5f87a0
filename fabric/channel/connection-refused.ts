/** Says why a connection is refused. `routerId` is set once a certificate has shown which router it is about. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';

  constructor(
    message: string,
    readonly routerId?: string,
  ) {
    super(message);
  }
}
