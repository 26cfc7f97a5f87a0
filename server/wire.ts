/** The one table from a kind of failure to its status, code and message. Only the error path reads it. */
import type { ErrorKind } from '../domain/errors.js';

interface WireError { readonly status: number; readonly code: string; readonly message: string }

const invalid = 'The supplied request contains an invalid document or no valid accept content were available, see cause';

export const WIRE = {
  invalidField: { status: 400, code: 'COULD_NOT_VALIDATE', message: invalid },
  badReference: { status: 400, code: 'INVALID_FIELD', message: 'The field contains an invalid value' },
  duplicate: { status: 400, code: 'COULD_NOT_VALIDATE', message: invalid },
  unparsableBody: { status: 400, code: 'COULD_NOT_PARSE_BODY', message: 'The body of the request could not be parsed' },
  invalidFilter: { status: 400, code: 'INVALID_FILTER', message: 'The filter query supplied is invalid' },
  invalidSort: { status: 400, code: 'INVALID_SORT_IDENTIFIER', message: 'The sort order supplied is invalid' },
  unsupportedMedia: { status: 415, code: 'COULD_NOT_VALIDATE', message: invalid },
  notAcceptable: { status: 406, code: 'COULD_NOT_VALIDATE', message: invalid },
  payloadTooLarge: { status: 413, code: 'REQUEST_ENTITY_TOO_LARGE', message: 'The request body exceeds the maximum accepted size' },
  headersTooLarge: { status: 431, code: 'REQUEST_HEADERS_TOO_LARGE', message: 'The request headers exceed the maximum accepted size' },
  malformedRequest: { status: 400, code: 'MALFORMED_REQUEST', message: 'The request is not valid HTTP' },
  routeUnknown: { status: 404, code: 'NOT_FOUND', message: 'The resource requested was not found or is no longer available' },
  methodNotAllowed: { status: 405, code: 'METHOD_NOT_ALLOWED', message: 'The resource requested does not support this HTTP verb' },
  invalidUuid: { status: 400, code: 'INVALID_UUID', message: 'The supplied UUID is invalid' },
  notFound: { status: 404, code: 'NOT_FOUND', message: 'The resource requested was not found or is no longer available' },
  inUse: { status: 409, code: 'CAN_NOT_DELETE_REFERENCED_ENTITY', message: 'the entity cannot be deleted because it is referenced by another entity, see cause' },
  notDeletable: { status: 400, code: 'ENTITY_CAN_NOT_BE_DELETED', message: 'The entity requested for delete can not be deleted' },
  notUpdatable: { status: 400, code: 'ENTITY_CAN_NOT_BE_UPDATED', message: 'The entity requested for update can not be updated' },
  forbidden: { status: 403, code: 'UNAUTHORIZED', message: 'The request is not permitted' },
  unauthenticated: { status: 401, code: 'UNAUTHORIZED', message: 'The request could not be completed. The session is not authorized or the credentials are invalid' },
  invalidAuth: { status: 403, code: 'INVALID_AUTH', message: 'The authentication request failed' },
  invalidAuthMethod: { status: 400, code: 'INVALID_AUTH_METHOD', message: 'The supplied authentication method is not valid' },
  authenticatorLimit: { status: 409, code: 'MAX_AUTHENTICATOR_METHODS_REACHED', message: 'The identity already has the maximum authenticators of the specified method' },
  authenticatorMismatch: { status: 400, code: 'INVALID_AUTHENTICATOR_PROPERTIES', message: 'The properties supplied did not match the authenticator method' },
  authenticatorNotUpdatable: { status: 409, code: 'CAN_NOT_UPDATE_AUTHENTICATOR', message: 'The authenticator cannot be updated in this fashion' },
  enrollmentExists: { status: 409, code: 'ENROLLMENT_EXISTS', message: 'ENROLLMENT_EXISTS' },
  enrollmentExpired: { status: 400, code: 'ENROLLMENT_EXPIRED', message: 'The window for this enrollment has expired' },
  enrollmentMethodMismatch: { status: 400, code: 'INVALID_ENROLL_METHOD', message: 'The supplied enrollment method is not valid' },
  enrollmentTokenUnknown: { status: 404, code: 'INVALID_ENROLLMENT_TOKEN', message: 'The supplied token is not valid' },
  enrollmentContentType: { status: 400, code: 'INVALID_CONTENT_TYPE', message: 'The content type supplied is not acceptable' },
  csrInvalid: { status: 400, code: 'COULD_NOT_PROCESS_CSR', message: 'The supplied csr could not be processed' },
  csrMissing: { status: 400, code: 'MISSING_OR_INVALID_CSR', message: 'The supplied enrollment request is missing or contains an invalid CSR' },
  certificateInvalid: { status: 400, code: 'INVALID_CLIENT_CERT', message: 'The provided client certificate is invalid' },
  certificatePemInvalid: { status: 400, code: 'COULD_NOT_PARSE_PEM_BLOCK', message: "The certificate's PEM block could not be parsed" },
  tooManyRequests: { status: 429, code: 'SERVER_TOO_MANY_REQUESTS', message: 'Too many requests to alter state have been issued. Please slow your request rate or try again later.' },
  rateLimited: { status: 429, code: 'RATE_LIMITED', message: 'The requested operation is rate limited and the rate limit has been exceeded. Please try again later' },
  unavailable: { status: 503, code: 'UNAVAILABLE', message: 'The controller cannot reach its database at the moment' },
  timeout: { status: 503, code: 'TIMEOUT', message: 'The requested operation took too much time to reply' },
  notImplemented: { status: 501, code: 'NOT_IMPLEMENTED', message: 'This operation is not available in this release' },
  unhandled: { status: 500, code: 'UNHANDLED', message: 'An unhandled error occurred' },
} as const satisfies Record<ErrorKind | 'unhandled' | 'headersTooLarge' | 'malformedRequest', WireError>;
