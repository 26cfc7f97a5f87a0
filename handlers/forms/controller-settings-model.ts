/** The settings of controllers that a request gives. */
import type { OidcUris } from '../../domain/administration.js';
import { requireRedirectUri } from '../../domain/auth/redirect-uri.js';
import { invalidField } from '../../domain/errors.js';
import type * as Request from '../../generated/management/request.js';
import { tagsFrom } from '../fields.js';

/** @throws DomainError `invalidField` for a URI that may not be allowed */
export function givenUrisFrom({ oidc }: Request.ControllerSettings): {
  [K in keyof OidcUris]: readonly string[] | undefined;
} {
  const checked = (name: keyof OidcUris) =>
    oidc?.[name]?.map((uri, index) => requireRedirectUri(`oidc.${name}.${index}`, uri));
  return { redirectUris: unique(checked('redirectUris')), postLogoutUris: unique(checked('postLogoutUris')) };
}

const unique = (uris: readonly string[] | undefined) => (uris === undefined ? undefined : [...new Set(uris)]);

/** Leaves out URIs that are not given. */
const withoutGaps = ({ redirectUris, postLogoutUris }: ReturnType<typeof givenUrisFrom>): OidcUris => ({
  redirectUris: redirectUris ?? null,
  postLogoutUris: postLogoutUris ?? null,
});

/** Reads a POST or PUT, apart from the controller, which never changes. @throws DomainError `invalidField` */
export const controllerSettingsFrom = (body: Request.ControllerSettings & { readonly tags?: Request.Tags | null }) => ({
  ...withoutGaps(givenUrisFrom(body)),
  tags: tagsFrom(body.tags),
});

/** @throws DomainError `invalidField` */
export function requireController(controllerId: string): void {
  if (controllerId === '') throw invalidField('controllerId', 'controllerId is required', '');
}
