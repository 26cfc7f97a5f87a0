/**
 * Enrollment by whatever method a token has. A one-time token turns into an authenticator, once. No session is needed.
 */
import { knownControllers } from '../enrollment/known-controllers.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { byCa, byOttCa } from './enroll-certificate.js';
import { chainReply, issueByOtt } from './enroll-ott.js';
import { enrollRouter } from './enroll-router.js';
import { byToken } from './enroll-token.js';
import { findEnrollment, requireMethod } from './enroll-tokens.js';
import { setFirstPassword } from './enroll-updb.js';

/**
 * POST /enroll?method=…&token=…; `ca` has no token, and that of `token` is in a header. Fails:
 * `enrollmentTokenUnknown`, `enrollmentExpired`, `enrollmentMethodMismatch`, and as the method does.
 */
export const enroll: Handler<'client', 'enroll'> = async (input, context) => {
  const {
    query: { token, method },
    body,
    connection,
    note,
  } = input;
  if (method === 'ca') return ok(await byCa(input, context));
  if (method === 'token') {
    const clientCsr = typeof body === 'string' ? body : body?.clientCsr;
    return ok(await byToken({ connection, note, clientCsr, signerId: undefined }, context));
  }
  const enrollment = await findEnrollment(token ?? '', context, note);
  if (method !== undefined && method !== '') requireMethod(enrollment, method);
  const fields = typeof body === 'string' ? {} : (body ?? {});
  switch (enrollment.method) {
    case 'ott':
      return chainReply(
        await issueByOtt(enrollment, typeof body === 'string' ? body : fields.clientCsr, context),
        connection,
        false,
        context,
      );
    case 'ottca':
      return ok({ ...(await byOttCa(enrollment, input, context)), controllers: await knownControllers(context) });
    case 'erott':
    case 'trott':
      return ok(await enrollRouter(enrollment, { client: fields.certCsr, server: fields.serverCertCsr }, context));
    case 'updb':
      return ok({
        username: await setFirstPassword(enrollment, fields.password, context),
        controllers: await knownControllers(context),
      });
  }
};
