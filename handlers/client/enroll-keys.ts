/** Public keys that verify the JWTs of enrollments. */
import type * as Response from '../../generated/client/response.js';
import { raw } from '../handler.js';
import type { Handler } from '../handler.js';

/** GET /enroll/jwks: the keys that sign enrollment JWTs, as a plain JSON Web Key Set (RFC 7517) without envelope. */
export const getEnrollmentJwks: Handler<'client', 'getEnrollmentJwks'> = async (_input, { enrollments }) => {
  const keySet: Response.Jwks = { keys: enrollments.publicKeys() };
  return raw('application/json', `${JSON.stringify(keySet)}\n`);
};
