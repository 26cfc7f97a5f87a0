/** Which URIs a login may lead to: what administrators may allow, and what none may. */
import { expect } from 'chai';
import { requireRedirectUri } from '../../domain/auth/redirect-uri.js';
import { DomainError } from '../../domain/errors.js';

const refused: readonly (readonly [uri: string, reason: RegExp])[] = [
  ['', /whole URI/],
  ['/auth/callback', /whole URI/],
  ['//host/auth/callback', /whole URI/],
  ['HTTPS://host/auth', /lower case/],
  ['https://', /whole URI/],
  ['https://host/a b', /white space/],
  ['https://host/a\nb', /white space/],
  ['https://host\\@evil.example/', /white space or characters/],
  ['https://host/auth#', /fragment/],
  ['https://host/auth#token', /fragment/],
  ['https://user@host/', /user/],
  ['https://:secret@host/', /user/],
  ['javascript:alert(1)', /scheme javascript/],
  ['data:text/html,x', /scheme data/],
  ['file:///etc/passwd', /scheme file/],
  ['http://host/auth', /must be https/],
  ['http://localhost.evil.example/auth', /must be https/],
  ['http://127.0.0.1.evil.example/auth', /must be https/],
  ['https://*/auth', /one place only/],
  ['https://*.example.com/auth', /one place only/],
  ['https://example.com:*/auth', /one place only/],
  ['https://example.com/*', /one place only/],
  ['http://localhost:*/auth/*', /one place only/],
  ['http://localhost:*.evil.example/auth', /one place only/],
  ['http://localhost:*@evil.example/auth', /one place only/],
  ['http://localhost:80*/auth', /one place only/],
];

const allowed = [
  'https://console.example.com/auth/callback',
  'https://console.example.com:8443/auth/callback?from=console',
  'http://localhost:8080/auth/callback',
  'http://localhost/auth/callback',
  'http://127.0.0.1:*/auth/callback',
  'https://localhost:*/auth/callback',
  'http://[::1]:*/auth/callback',
  'http://localhost:*',
  'openziti://auth/callback',
  'com.example.app:/callback',
];

describe('redirect URIs', () => {
  for (const [uri, reason] of refused) {
    it(`do not include ${JSON.stringify(uri)}`, () => {
      expect(() => requireRedirectUri('oidc.redirectUris.0', uri))
        .to.throw(DomainError)
        .with.property('field')
        .that.satisfies((field: { field: string; reason: string }) => {
          expect(field.field).to.equal('oidc.redirectUris.0');
          expect(field.reason).to.match(reason);
          return true;
        });
    });
  }
  for (const uri of allowed) {
    it(`may be ${uri}`, () => {
      expect(requireRedirectUri('oidc.redirectUris.0', uri)).to.equal(uri);
    });
  }
});
