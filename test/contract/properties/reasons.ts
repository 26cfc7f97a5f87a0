/**
 * Why a request that the document accepts may be refused, and why one that it refuses may get another answer than 400:
 * rules that no schema of this kind can say. Each line is needed: a run with the usual seed fails when one is never
 * met.
 */
import type { Answer } from '../../support/client.js';
import { refusalOf } from './refusals.js';

export interface Reason {
  /** The rule, in few words. */
  readonly rule: string;
  readonly operation: RegExp;
  /** Of the text that `refusalOf` makes. */
  readonly error: RegExp;
  /** What is odd about the case; any when absent. */
  readonly what?: RegExp;
  readonly reason: string;
}

/** Of valid requests. */
export const reasons: readonly Reason[] = [
  {
    rule: 'a way to log in has its own required members',
    operation: /^(authenticate|loginBy(Password|Username))$/,
    error: /^400 COULD_NOT_VALIDATE : username and password fields are required/,
    reason: 'one body is for all methods; a query parameter or the path says which',
  },
  {
    rule: 'wrong credentials',
    operation: /^(authenticate|loginBy\w+)$/,
    error: /^40[13] INVALID_AUTH/,
    reason: 'who may log in is no matter of form',
  },
  {
    rule: 'the current password',
    operation: /^(update|patch)CurrentIdentityAuthenticator$/,
    error: /^401 UNAUTHORIZED currentPassword: invalid current password/,
    reason: 'a secret is no matter of form',
  },
  {
    rule: 'a request for a certificate in PEM',
    operation: /^enroll|^extend|^createCurrentApiSessionCertificate$/,
    error: /^400 (COULD_NOT_PROCESS_CSR|MISSING_OR_INVALID_CSR)/,
    reason: 'a schema does not see into a text in PEM',
  },
  {
    rule: 'a certificate in PEM',
    operation: /^(create|update|patch)(Authenticator|Ca|ExternalJwtSigner)$/,
    error: /^400 (COULD_NOT_PARSE_PEM_BLOCK|INVALID_CERT_PEM|COULD_NOT_VALIDATE certPem: could not parse)/,
    reason: 'a schema does not see into a text in PEM',
  },
  {
    rule: 'the code of a second factor',
    operation: /^(verifyMfa|authenticateMfa|deleteMfa|createMfaRecoveryCodes|detailMfaRecoveryCodes)$/,
    error: /^401 MFA_INVALID_TOKEN/,
    reason: 'a secret is no matter of form',
  },
  {
    rule: 'a service that the caller may use so',
    operation: /^createSession$/,
    error: /^400 COULD_NOT_VALIDATE ServiceId: service not found/,
    reason: 'it depends on policies',
  },
  {
    rule: 'characters that the database cannot hold',
    operation: /./,
    error: /^\d+ (COULD_NOT_PARSE_BODY : .*it has a NUL character|\w+ .*must not contain a NUL character)/,
    reason: 'JSON allows NUL in any text, and a pattern on each would hide what they are about',
  },
  {
    rule: 'a target that may be asked, kinds of events, and a secret',
    operation: /^(create|update|patch)Webhook$/,
    error: /^400 COULD_NOT_VALIDATE (url|kinds|secret): /,
    reason: 'which addresses may be asked depends on settings, and a base64 has no pattern that says its length',
  },
  {
    rule: 'a username',
    operation: /Authenticator$|Enrollment$|^createIdentity$/,
    error: /^400 \w+ .*(username|enrollment\.updb)(' is invalid| in body should)/s,
    reason: 'how long and of which characters depends on `method`; other methods ignore it',
  },
  {
    rule: 'the id of what is revoked',
    operation: /^createRevocation$/,
    error: /^400 COULD_NOT_VALIDATE id: must be a UUID, or an id/,
    reason: 'which form depends on the type of the revocation',
  },
  {
    rule: 'a duration, and a plain word',
    operation: /^updateIdentityTracing$/,
    error: /^400 COULD_NOT_VALIDATE (duration: time: |traceId: must consist of)/,
    reason: 'the one is a language of its own, the other the word of a log',
  },
  {
    rule: 'the type of a config is there',
    operation: /^createConfig$/,
    error: /^400 COULD_NOT_VALIDATE type: invalid config type/,
    reason: 'it depends on what is there; the field answers 400 here, as its existing controller',
  },
  {
    rule: 'a time that is to come',
    operation: /Enrollment$|^reEnroll/,
    error: /^400 .*expiresAt.*must be (after the current|in the future)/,
    reason: 'a schema does not know the time',
  },
  {
    rule: 'the certificate that waits',
    operation: /^extendVerifyCurrentIdentityAuthenticator$/,
    error: /^400 INVALID_CLIENT_CERT/,
    reason: 'it is compared with the one that was issued before',
  },
  {
    rule: 'a certificate in the handshake, of a CA',
    operation: /^enrollCa$/,
    error: /^400 CERT_FAILED_VALIDATION/,
    reason: 'a document does not describe the TLS connection',
  },
  {
    rule: 'a certificate in the handshake, of a router',
    operation: /^extendRouterEnrollment$/,
    error: /^401 UNAUTHORIZED : the connection does not show/,
    reason: 'a document does not describe the TLS connection',
  },
  {
    rule: 'a token that a signer of the network signed',
    operation: /^enrollToken$/,
    error: /^400 INVALID_ENROLLMENT_TOKEN/,
    reason: 'a header with credentials, which say more than their form',
  },
  {
    rule: 'a session of another kind of login',
    operation: /^createTotpToken$/,
    error: /^400 INVALID_BACKING_TOKEN_TYPE/,
    reason: 'it depends on how the session came to be',
  },
  {
    rule: 'credentials for their method',
    operation: /^createAuthenticator$/,
    error: /^400 COULD_NOT_VALIDATE (password|username|certPem): \w+ is required/,
    reason: 'what is required depends on `method`, and a condition is not to be had in OpenAPI 2.0',
  },
  {
    rule: 'a trusted certificate',
    operation: /^createAuthenticator$/,
    error: /^400 INVALID_CLIENT_CERT : the certificate with fingerprint/,
    reason: 'trust is no matter of form',
  },
  {
    rule: 'one certificate, one CA',
    operation: /^createCa$/,
    error: /^400 COULD_NOT_VALIDATE certPem: certificate already used/,
    reason: 'it depends on what is there',
  },
  {
    rule: 'a proof that is a certificate',
    operation: /^verifyCa$/,
    error: /^400 (COULD_NOT_PARSE_BODY : the body holds no certificate|COULD_NOT_VALIDATE certificate: .* is required)/,
    reason: 'a schema does not see into a text in PEM',
  },
  {
    rule: 'a new claim is whole',
    operation: /^patchCa$/,
    error: /^400 COULD_NOT_VALIDATE externalIdClaim\.\w+: externalIdClaim\.\w+ in body is required/,
    reason: 'members may be left out only where the CA has a claim already',
  },
  {
    rule: 'members of a claim that go together',
    operation: /Ca$/,
    error: /^400 INVALID_FIELD : .* for 'externalIdClaim' is invalid/,
    reason: 'which matcher and criteria are possible depends on the location and the parser',
  },
  {
    rule: 'data as its config type has it',
    operation: /^(update|patch)Config$/,
    error: /^400 COULD_NOT_VALIDATE \(root\)/,
    reason: 'the type has a JSON Schema of its own',
  },
  {
    rule: 'whole URIs',
    operation: /ControllerSetting$/,
    error: /^400 COULD_NOT_VALIDATE oidc\.\w+\.\d+: must be a whole URI/,
    reason: 'OpenAPI 2.0 has no format for a URI, and a pattern would say less',
  },
  {
    rule: 'values that only one may have',
    operation: /ControllerSetting$|Identity$|ExternalJwtSigner$/,
    error: /^400 COULD_NOT_VALIDATE \w+: duplicate value/,
    reason: 'it depends on what is there',
  },
  {
    rule: 'references to what is there',
    operation: /^create(Enrollment|ControllerSetting)$/,
    error: /^400 INVALID_FIELD : the value '.*' for '(caId|identityId|controllerId)' is invalid/s,
    reason: 'it depends on what is there; the field answers 400 here, as its existing controller',
  },
  {
    rule: 'keys from one place',
    operation: /ExternalJwtSigner$/,
    error: /^400 INVALID_FIELD : .*(jwksEndpoint or certPem)/,
    reason: 'one of two members, and a choice is not to be had in OpenAPI 2.0',
  },
  {
    rule: 'a URL',
    operation: /ExternalJwtSigner$/,
    error:
      /^400 (COULD_NOT_VALIDATE externalAuthUrl: \w+ must be an http or https URL|INVALID_FIELD : .*'jwksEndpoint')/,
    reason: 'OpenAPI 2.0 has no format for a URL, and a setting says which may be reached',
  },
  {
    rule: 'the system of a process by one of two names',
    operation: /PostureCheck$/,
    error: /osType in body is required/,
    reason: '`osType` or `os`, and a choice is not to be had in OpenAPI 2.0',
  },
  {
    rule: 'a check keeps its type',
    operation: /^(update|patch)PostureCheck$/,
    error: /^400 COULD_NOT_VALIDATE typeId: the type of a posture check cannot change/,
    reason: 'it depends on what is there',
  },
  {
    rule: 'ranges of versions',
    operation: /PostureCheck$/,
    error: /should be a range of semantic versions/,
    reason: 'a language of its own',
  },
  {
    rule: 'selectors begin with # or @, and name what is there',
    operation: /Policy$/,
    error: /^400 COULD_NOT_VALIDATE \w+Roles: (role entries must prefixed with|no \w+ found with the given ids)/,
    reason: 'generated clients would refuse to read what an older network has, if it were a pattern',
  },
  {
    rule: 'a filter',
    operation: /^(list|getCurrentIdentityEdgeRouters)/,
    what: /^any text as .*\bfilter\b/,
    error: /^400 INVALID_FILTER : /,
    reason: 'a language of its own, and each list has its own fields',
  },
  {
    rule: 'an order',
    operation: /^(list|getCurrentIdentityEdgeRouters)/,
    what: /^any text as .*\bsort\b/,
    error: /^400 INVALID_SORT_IDENTIFIER : /,
    reason: 'as above',
  },
  {
    rule: 'a filter by roles',
    operation: /^list(Identities|Services|EdgeRouters|PostureChecks)$/,
    what: /^any text as .*\broleFilter\b/,
    error: /^400 COULD_NOT_VALIDATE roleFilter: '.*' is neither role attribute/s,
    reason: 'as the roles of policies',
  },
  {
    rule: 'the id of an event, and kinds of events',
    operation: /^streamEvents$/,
    what: /^any text as /,
    error: /^400 COULD_NOT_VALIDATE (lastEventId|Last-Event-ID|kinds): must /,
    reason: 'the answer says which kinds there are; an id is for the controller alone to read',
  },
  {
    rule: 'an identity or a role',
    operation: /^detailNetworkAccess$/,
    error: /^400 COULD_NOT_VALIDATE role: ask for an identity or for a role/,
    reason: 'one of two parameters, and a choice is not to be had in OpenAPI 2.0',
  },
  {
    rule: 'the token of a session',
    operation: /^listServiceEdgeRouters$/,
    error: /^401 UNAUTHORIZED : $/,
    reason: 'a secret is no matter of form',
  },
  {
    rule: 'role attributes begin with neither # nor @',
    operation: /./,
    error: /^400 COULD_NOT_VALIDATE (identityRoles|roleAttributes): role attributes may not be prefixed/,
    reason: 'as above',
  },
  {
    rule: 'a policy is for dialing or hosting',
    operation: /ServicePolicy$/,
    error: /^400 COULD_NOT_VALIDATE type: type must be Dial or Bind/,
    reason: '`Invalid` is a word of answers, and clients have one enum for both',
  },
  {
    rule: 'members of other controllers',
    operation: /^cluster(MemberAdd|MemberRemove|TransferLeadership)$/,
    error: /^400 SERVER_NOT_RUNNING_IN_HA_MODE/,
    reason: 'clients know the operation, and it is always refused here',
  },
  {
    rule: 'a certificate by enrollment alone',
    operation: /^(create|update|patch)Router$/,
    error: /^400 COULD_NOT_VALIDATE fingerprint: routers of this network get their certificates by enrollment/,
    reason: "the one fingerprint that is taken is the router's own",
  },
  {
    rule: 'a place that the controller chooses',
    operation: /^createDatabaseSnapshotWithPath$/,
    error: /^400 COULD_NOT_VALIDATE path: the controller chooses/,
    reason: 'clients know the member, and it is always refused here',
  },
  {
    rule: 'a login that is under way',
    operation: /^(show(Cert|ExtJwt)Login|show(Password|Username)Page|loginBy\w+|listAuthQueries|\w+Totp)$/,
    error: /^(401 UNAUTHORIZED|400 INVALID TOTP CODE)/,
    reason: 'it depends on what is there',
  },
  {
    rule: 'a login that is under way, at the end of it',
    operation: /^endLogin$/,
    error: /^(400 invalid_request : request not found|302 interaction_required)/,
    reason: 'it depends on what is there',
  },
  {
    rule: 'in the query or in the form, and not in both',
    operation: /ByPost$/,
    error: /^\d+ invalid_request : \w+ is there more than once/,
    reason: 'OpenAPI 2.0 cannot say that one of two parameters is absent',
  },
  {
    rule: 'a client of this network',
    operation:
      /^(beginLogin|beginLoginByPost|issueTokens|revokeToken|revokeTokenAtOauth|introspectToken|endSession\w*)$/,
    error: /^400 (invalid_client|invalid_request : client_id is missing)/,
    reason: 'RFC 6749 has an error of its own for it, and a client may be named in a header instead',
  },
  {
    rule: 'a redirect URI that is registered',
    operation: /^(beginLogin|beginLoginByPost|endSession|endSessionByPost)$/,
    error: /^400 invalid_request : .*redirect_uri/,
    reason: 'settings say which',
  },
  {
    rule: 'a request for a login by RFC 6749, RFC 7636 and OpenID Connect',
    operation: /^beginLogin(ByPost)?$/,
    error: /^302 \w+ : /,
    reason: 'what is missing or not supported goes to the redirect URI, so that the client learns of it',
  },
  {
    rule: 'a form that is not too large in all',
    operation: /^(loginBy\w+|\w+Totp|issueTokens|introspectToken|revokeToken\w*|beginLoginByPost|endSessionByPost)$/,
    error: /^413 REQUEST_ENTITY_TOO_LARGE/,
    reason: 'the bound of the whole is in `x-max-body`, and a letter beyond ASCII takes six bytes or more in a form',
  },
  {
    rule: 'a grant that is good',
    operation: /^issueTokens$/,
    error: /^400 (invalid_grant|invalid_request|invalid_scope|access_denied) : /,
    reason: 'what is required depends on `grant_type`, and secrets are no matter of form',
  },
];

/** Of requests that the document refuses: what else they may get. The error is that of the answer, as above. */
export const exceptions: readonly Reason[] = [
  {
    rule: 'an unknown terminator strategy',
    operation: /^(create|update|patch)Service$/,
    what: /^terminatorStrategy: /,
    error: /^404 NOT_FOUND : terminatorStrategy with name/,
    reason: 'stock clients expect 404 for it, as for any reference',
  },
];

/** @param what  is odd about the case */
export function reasonFor(operationId: string, what: string, answer: Answer): Reason | undefined {
  return firstThatFits(reasons, operationId, what, answer);
}

/** @param what  is odd about the case */
export function exceptionFor(operationId: string, what: string, answer: Answer): Reason | undefined {
  return firstThatFits(exceptions, operationId, what, answer);
}

function firstThatFits(all: readonly Reason[], id: string, what: string, answer: Answer): Reason | undefined {
  const refusal = refusalOf(answer);
  return all.find((one) => one.operation.test(id) && one.error.test(refusal) && (one.what?.test(what) ?? true));
}
