/** Bodies of auth policies: everything allowed and nothing asked, but for what a test changes. */
import { unique } from './controller.js';

export interface PolicyChanges {
  readonly updb?: object;
  readonly cert?: object;
  readonly extJwt?: object;
  readonly secondary?: object;
}

export const authPolicy = ({ updb, cert, extJwt, secondary }: PolicyChanges = {}) => ({
  name: unique('policy'),
  primary: {
    cert: { allowed: true, allowExpiredCerts: false, ...cert },
    extJwt: { allowed: true, allowedSigners: [], ...extJwt },
    updb: {
      allowed: true,
      lockoutDurationMinutes: 0,
      maxAttempts: 0,
      minPasswordLength: 5,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
      ...updb,
    },
  },
  secondary: { requireTotp: false, ...secondary },
});
