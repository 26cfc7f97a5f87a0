/** A router sent what cannot be read. The message says what, and repeats nothing of what was sent but numbers. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

export function malformed(message: string): MalformedError {
  return new MalformedError(message);
}
