/** The one table from a kind of failure to its status, code and message. Only the error path reads it. */
import type { ErrorKind } from '../../domain/errors.js';

interface WireError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const invalid =
  'The supplied request contains an invalid document or no valid accept content were available, see cause';

export const ERROR_TABLE = {
  invalidField: { status: 400, code: 'COULD_NOT_VALIDATE', message: invalid },
  badReference: { status: 400, code: 'INVALID_FIELD', message: 'The field contains an invalid value' },
  duplicate: { status: 400, code: 'COULD_NOT_VALIDATE', message: invalid },
  unparsableBody: { status: 400, code: 'COULD_NOT_PARSE_BODY', message: 'The body of the request could not be parsed' },
  invalidFilter: { status: 400, code: 'INVALID_FILTER', message: 'The filter query supplied is invalid' },
  invalidSort: { status: 400, code: 'INVALID_SORT_IDENTIFIER', message: 'The sort order supplied is invalid' },
  notClustered: {
    status: 400,
    code: 'SERVER_NOT_RUNNING_IN_HA_MODE',
    message: 'The controllers of this network share a database, and are neither added nor removed by a request',
  },
  unsupportedMedia: { status: 415, code: 'COULD_NOT_VALIDATE', message: invalid },
  notAcceptable: { status: 406, code: 'COULD_NOT_VALIDATE', message: invalid },
  payloadTooLarge: {
    status: 413,
    code: 'REQUEST_ENTITY_TOO_LARGE',
    message: 'The request body exceeds the maximum accepted size',
  },
  headersTooLarge: {
    status: 431,
    code: 'REQUEST_HEADERS_TOO_LARGE',
    message: 'The request headers exceed the maximum accepted size',
  },
  requestTimeout: { status: 408, code: 'REQUEST_TIMEOUT', message: 'The request took too long to arrive' },
  malformedRequest: { status: 400, code: 'MALFORMED_REQUEST', message: 'The request is not valid HTTP' },
  routeUnknown: {
    status: 404,
    code: 'NOT_FOUND',
    message: 'The resource requested was not found or is no longer available',
  },
  methodNotAllowed: {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: 'The resource requested does not support this HTTP verb',
  },
  notFound: {
    status: 404,
    code: 'NOT_FOUND',
    message: 'The resource requested was not found or is no longer available',
  },
  inUse: {
    status: 409,
    code: 'CAN_NOT_DELETE_REFERENCED_ENTITY',
    message: 'the entity cannot be deleted because it is referenced by another entity, see cause',
  },
  notDeletable: {
    status: 400,
    code: 'ENTITY_CAN_NOT_BE_DELETED',
    message: 'The entity requested for delete can not be deleted',
  },
  notUpdatable: {
    status: 400,
    code: 'ENTITY_CAN_NOT_BE_UPDATED',
    message: 'The entity requested for update can not be updated',
  },
  preconditionFailed: {
    status: 412,
    code: 'PRECONDITION_FAILED',
    message: 'The entity is not what it was when it was read, and nothing was done',
  },
  routerNotUpdatable: {
    status: 409,
    code: 'CAN_NOT_UPDATE_ROUTER',
    message: 'The router was not added via the Edge API and cannot be updated',
  },
  forbidden: { status: 403, code: 'UNAUTHORIZED', message: 'The request is not permitted' },
  unauthenticated: {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'The request could not be completed. The session is not authorized or the credentials are invalid',
  },
  invalidAuth: { status: 403, code: 'INVALID_AUTH', message: 'The authentication request failed' },
  authenticatorLimit: {
    status: 409,
    code: 'MAX_AUTHENTICATOR_METHODS_REACHED',
    message: 'The identity already has the maximum authenticators of the specified method',
  },
  authenticatorNotUpdatable: {
    status: 409,
    code: 'CAN_NOT_UPDATE_AUTHENTICATOR',
    message: 'The authenticator cannot be updated in this fashion',
  },
  enrollmentExists: { status: 409, code: 'ENROLLMENT_EXISTS', message: 'ENROLLMENT_EXISTS' },
  enrollmentExpired: { status: 400, code: 'ENROLLMENT_EXPIRED', message: 'The window for this enrollment has expired' },
  enrollmentMethodMismatch: {
    status: 400,
    code: 'INVALID_ENROLL_METHOD',
    message: 'The supplied enrollment method is not valid',
  },
  enrollmentTokenUnknown: { status: 404, code: 'INVALID_ENROLLMENT_TOKEN', message: 'The supplied token is not valid' },
  enrollmentTokenInvalid: { status: 400, code: 'INVALID_ENROLLMENT_TOKEN', message: 'The supplied token is not valid' },
  enrollmentNotAllowed: {
    status: 409,
    code: 'INVALID_ENROLLMENT_NOT_ALLOWED',
    message: 'The configuration does not allow this enrollment',
  },
  identityEnrolled: {
    status: 409,
    code: 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED',
    message: 'The token supplied for this enrollment already has a matching identity, cannot enroll a new identity',
  },
  tokenUsed: {
    status: 410,
    code: 'INVALID_ENROLLMENT_ALREADY_ENROLLED',
    message: 'The token provided has already been used to enroll',
  },
  csrInvalid: { status: 400, code: 'COULD_NOT_PROCESS_CSR', message: 'The supplied csr could not be processed' },
  csrMissing: {
    status: 400,
    code: 'MISSING_OR_INVALID_CSR',
    message: 'The supplied enrollment request is missing or contains an invalid CSR',
  },
  certificateInvalid: {
    status: 400,
    code: 'INVALID_CLIENT_CERT',
    message: 'The provided client certificate is invalid',
  },
  certificatePemInvalid: {
    status: 400,
    code: 'COULD_NOT_PARSE_PEM_BLOCK',
    message: "The certificate's PEM block could not be parsed",
  },
  signerCertificateInvalid: {
    status: 400,
    code: 'INVALID_CERT_PEM',
    message: 'The supplied certificate is not readable, or is more than one',
  },
  caAlreadyVerified: { status: 409, code: 'CA_ALREADY_VERIFIED', message: 'CA has already been verified' },
  caNotValid: {
    status: 400,
    code: 'ENROLLMENT_CA_NOT_VALID',
    message: 'The CA tied to the supplied token is no longer valid',
  },
  noValidCas: { status: 400, code: 'ENROLLMENT_NO_VALID_CAS', message: 'No CAs are valid for this request' },
  commonNameInvalid: {
    status: 400,
    code: 'INVALID_COMMON_NAME',
    message: 'The common name of the supplied certificate is invalid',
  },
  certificateNotOfCa: {
    status: 400,
    code: 'CERTIFICATE_FAILED_VALIDATION',
    message: "The supplied certificate failed to validate against the CA's certificate chain",
  },
  certificateNotTrusted: {
    status: 400,
    code: 'CERT_FAILED_VALIDATION',
    message: 'certificate failed to validate against CA',
  },
  certificateInUse: {
    status: 409,
    code: 'CERT_IN_USE',
    message: 'The certificate supplied is already associated with another identity',
  },
  certificateClaimMissing: {
    status: 400,
    code: 'MISSING_CERT_CLAIM',
    message: 'The certificate is expected to contain and externalId, which was not found',
  },
  mfaExists: { status: 409, code: 'MFA_EXISTS', message: 'An MFA record already exists, try removing it' },
  mfaNotEnrolled: {
    status: 409,
    code: 'MFA_NOT_ENROLLED',
    message: 'The current identity is not enrolled in MFA',
  },
  mfaCodeInvalid: { status: 401, code: 'MFA_INVALID_TOKEN', message: 'An invalid token/code was provided' },
  sessionWithoutBacking: {
    status: 400,
    code: 'INVALID_BACKING_TOKEN_TYPE',
    message: 'The backing token type is invalid',
  },
  invalidPosture: { status: 409, code: 'INVALID_POSTURE', message: 'Posture response data is missing or wrong' },
  noEdgeRouters: {
    status: 400,
    code: 'NO_EDGE_ROUTERS_AVAILABLE',
    message: 'No edge routers are assigned and online to handle the requested connection',
  },
  tooManyRequests: {
    status: 429,
    code: 'SERVER_TOO_MANY_REQUESTS',
    message: 'Too many requests to alter state have been issued. Please slow your request rate or try again later.',
  },
  rateLimited: {
    status: 429,
    code: 'RATE_LIMITED',
    message: 'The requested operation is rate limited and the rate limit has been exceeded. Please try again later',
  },
  unavailable: {
    status: 503,
    code: 'UNAVAILABLE',
    message: 'The controller cannot use its database at the moment, see cause',
  },
  timeout: { status: 503, code: 'TIMEOUT', message: 'The requested operation took too much time to reply' },
  notImplemented: { status: 501, code: 'NOT_IMPLEMENTED', message: 'This operation is not available in this release' },
  unhandled: { status: 500, code: 'UNHANDLED', message: 'An unhandled error occurred' },
} as const satisfies Record<
  ErrorKind | 'unhandled' | 'headersTooLarge' | 'requestTimeout' | 'malformedRequest',
  WireError
>;
