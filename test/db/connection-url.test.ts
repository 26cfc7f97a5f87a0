/** DATABASE_URL as libpq reads it: a table of cases, and no piece of a secret in what is printed. */
import { expect } from 'chai';
import fc from 'fast-check';
import { ConnectionUrlError, parseConnectionUrl } from '../../db/postgres/connection-url.js';
import type { ConnectionUrl } from '../../db/postgres/connection-url.js';

const at = (host: string | undefined, port = 5432) => ({ host, port });
const uep = { user: 'u', password: 'p', database: 'db' };

const TAKEN: Readonly<Record<string, Partial<ConnectionUrl>>> = {
  'postgresql://u:p@h/db': { hosts: [at('h')], config: uep, tls: { mode: 'disable' }, showsServer: true },
  'postgres://u:p@h:5433/db': { hosts: [at('h', 5433)], config: uep },
  'postgresql://u:p@h1:5432,h2:5433/db?target_session_attrs=read-write': {
    hosts: [at('h1'), at('h2', 5433)],
    config: uep,
  },
  'postgresql://u:p@h1,h2,h3/db?port=6000': { hosts: [at('h1', 6000), at('h2', 6000), at('h3', 6000)] },
  'postgresql://u:p@/db?host=h1,h2&port=1,2': { hosts: [at('h1', 1), at('h2', 2)] },
  'postgresql://u:p@[::1]:6000,[fe80::1]/db': { hosts: [at('::1', 6000), at('fe80::1')] },
  'postgresql://u@/db?host=%2Frun%2Fpg&port=5433': {
    hosts: [at('/run/pg', 5433)],
    config: { user: 'u', database: 'db' },
  },
  'postgresql://u@/db?host=/run/pg': { hosts: [at('/run/pg')] },
  'postgresql://u@%2Frun%2Fpg:5433/db': { hosts: [at('/run/pg', 5433)] },
  'postgresql:///db?host=/run/pg': { hosts: [at('/run/pg')], config: { database: 'db' }, showsServer: true },
  'postgresql://': { hosts: [at(undefined)], config: {} },
  'postgresql://h/db': { hosts: [at('h')], config: { database: 'db' }, showsServer: false },
  'postgresql://h/db?user=u&password=p': { config: uep, showsServer: false },
  "postgresql://u:p%40ss%2Fw%3Ard%23%25%3F%26%3D%20%C3%BC%22'$@h/db": {
    config: { ...uep, password: 'p@ss/w:rd#%?&= ü"\'$' },
  },
  'postgresql://u:p@h/d%2Fb?application_name=mine&options=-c%20work_mem%3D8MB&connect_timeout=1': {
    config: {
      user: 'u',
      password: 'p',
      database: 'd/b',
      application_name: 'mine',
      options: '-c work_mem=8MB',
      connectionTimeoutMillis: 2000,
    },
  },
  'postgresql://u:p@h/db?sslmode=disable': { tls: { mode: 'disable' } },
  'postgresql://u:p@h/db?sslmode=allow': { tls: { mode: 'prefer' } },
  'postgresql://u:p@h/db?sslmode=prefer': { tls: { mode: 'prefer' } },
  'postgresql://u:p@h/db?sslmode=require': { tls: { mode: 'require' } },
  'postgresql://u:p@h/db?sslmode=no-verify': { tls: { mode: 'require' } },
  'postgresql://u:p@h/db?sslmode=require&sslrootcert=/r.pem': { tls: { mode: 'verify-ca', rootCert: '/r.pem' } },
  'postgresql://u:p@h/db?sslmode=verify-ca&sslrootcert=/r.pem': { tls: { mode: 'verify-ca', rootCert: '/r.pem' } },
  'postgresql://u:p@h/db?sslmode=verify-full': { tls: { mode: 'verify-full' } },
  'postgresql://u:p@h/db?sslrootcert=system': { tls: { mode: 'verify-full', rootCert: 'system' } },
  'postgresql://u:p@h/db?sslmode=verify-full&sslcert=/c.pem&sslkey=/k.pem': {
    tls: { mode: 'verify-full', cert: '/c.pem', key: '/k.pem' },
  },
  'postgresql://u:p@h/db?sslmode=require&sslnegotiation=direct&channel_binding=prefer': {
    config: { ...uep, sslnegotiation: 'direct', enableChannelBinding: true },
  },
};

const REFUSED: Readonly<Record<string, RegExp>> = {
  'host=h dbname=db password=s3cret': /^must be a URL that begins with postgresql:.*host=… dbname=… is not taken$/,
  'mysql://u:s3cret@h/db': /^must be a URL/,
  'postgresql://u:s3c@ret@h/db': /Percent-encode.*encodeURIComponent/,
  'postgresql://u:s3c/ret@h/db': /Percent-encode/,
  'postgresql://u:5432/ret@h/db': /Percent-encode/,
  'postgresql://u:s3c#ret@h/db': /Percent-encode/,
  'postgresql://u:s3c?ret@h/db': /Percent-encode/,
  'postgresql://u:s3c:ret@h/db': /Percent-encode/,
  'postgresql://u:100%@h/db': /% that does not begin/,
  'postgresql://u:p%00@h/db': /% that does not begin/,
  'postgresql://u:p@h/a/b': /Percent-encode/,
  'postgresql://u:p@h:x/db': /host or port/,
  'postgresql://u:p@h:70000/db': /port that is not a number from 1 to 65535/,
  'postgresql://u:p@::1/db': /IPv6 address in brackets/,
  'postgresql://u:p@h1,h2,h3/db?port=1,2': /another number of ports/,
  'postgresql://u:p@h/db?sslmod=require': /^has a parameter sslmod that is not known here; known are host,/,
  'postgresql://u:p@h/db?ssl=true': /parameter ssl .*write sslmode=verify-full/,
  'postgresql://u:p@h/db?hostaddr=1.1.1.1': /write the address as the host/,
  'postgresql://h/db?password=a&s3cret=b': /^has a parameter that is not known/,
  'postgresql://h/db?s3cret=b': /^has a parameter that is not known/,
  'postgresql://u:p@h/db?sslmode=s3cret': /sslmode without a value that can be used: it is one of disable,/,
  'postgresql://u:p@h/db?sslmode': /sslmode without a value/,
  'postgresql://u:p@h/db?port=1&port=2': /port twice/,
  'postgresql://u:p@h/db?target_session_attrs=standby': /needs a server that takes writes/,
  'postgresql://u:p@h/db?channel_binding=require': /sslmode=verify-full gives/,
  'postgresql://u:p@h/db?sslmode=require&sslrootcert=system': /needs sslmode=verify-full/,
  'postgresql://u:p@h/db?sslrootcert=/r.pem': /add sslmode=verify-full/,
  'postgresql://u:p@h/db?sslmode=require&sslcert=/c.pem': /give both or none/,
  'postgresql://u:p@h/db?sslnegotiation=direct': /needs sslmode=require/,
  'postgresql://u:p@h/db?__proto__=1': /not known/,
};

/** All that may be printed of a text: the refusal, or where it leads when that may be shown. */
function printed(text: string): string {
  try {
    const { hosts, config, showsServer } = parseConnectionUrl(text);
    return showsServer ? JSON.stringify([hosts, config.database]) : '';
  } catch (error) {
    expect(error).to.be.instanceOf(ConnectionUrlError);
    return (error as Error).message;
  }
}

describe('DATABASE_URL', () => {
  const environment = process.env['PGSSLMODE'];
  beforeEach(() => {
    delete process.env['PGSSLMODE'];
  });
  after(() => {
    if (environment !== undefined) process.env['PGSSLMODE'] = environment;
  });

  for (const [url, wanted] of Object.entries(TAKEN)) {
    it(`takes ${url}`, () => {
      expect({ ...parseConnectionUrl(url), ...wanted }).to.deep.equal(parseConnectionUrl(url));
    });
  }

  for (const [url, sentence] of Object.entries(REFUSED)) {
    it(`refuses ${url}`, () => {
      expect(printed(url))
        .to.match(sentence)
        .and.not.match(/s3c|ret@/);
    });
  }

  it('takes the mode of TLS from PGSSLMODE when the URL has none', () => {
    process.env['PGSSLMODE'] = 'verify-full';
    expect(parseConnectionUrl('postgresql://u:p@h/db').tls.mode).to.equal('verify-full');
    expect(parseConnectionUrl('postgresql://u:p@h/db?sslmode=disable').tls.mode).to.equal('disable');
    process.env['PGSSLMODE'] = 'wrong';
    expect(printed('postgresql://u:p@h/db')).to.match(/PGSSLMODE/);
  });

  // Marks that no sentence of ours has, and between them whatever breaks a URL.
  const piece = fc.constantFrom('Zq7', 'Xw9', '7531');
  const breaker = fc.constantFrom(
    '@',
    '/',
    '#',
    '?',
    ':',
    '&',
    '=',
    '%',
    '%4',
    ',',
    '[',
    ']',
    ' ',
    '\\',
    '@h/',
    ':1/',
    '?host=',
    '&sslmode=',
    '\u00fc',
    '',
  );
  const secret = fc
    .array(
      fc.tuple(piece, breaker).map(([mark, sign]) => mark + sign),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join(''));
  /** A URL without a host: only an @ in the secret would make it a whole one, with a host of its own. */
  const withoutAt = (text: string) => text.replaceAll('@', '');
  const MARK = /Zq|q7|Xw|w9|753|531/;

  it('never prints a piece of a password or user, encoded or not, whatever else is wrong', () => {
    const shapes = fc.constantFrom(
      (s: string) => `postgresql://u:${s}@h/db`,
      (s: string) => `postgresql://${s}:p@h/db`,
      (s: string) => `postgresql://${s}@h:5432/db?sslmode=x`,
      (s: string) => `postgresql://u:${s}@h1:1,h2:2/db?sslmod=require`,
      (s: string) => `postgresql://u:${withoutAt(s)}/db`,
      (s: string) => `postgresql://${withoutAt(s)}/db`,
      (s: string) => `postgresql://h/db?user=u&password=${s}`,
      (s: string) => `postgresql://h/db?password=${s}&port=x`,
      (s: string) => `host=h user=u password=${s}`,
      (s: string) => `postgresql://u:${s}@/db?host=/run/pg`,
      (s: string) => s,
      (s: string) => `postgresql:/u:${s}@h/db`,
    );
    fc.assert(
      fc.property(shapes, secret, (shape, given) => {
        expect(printed(shape(given))).not.to.match(MARK);
      }),
      { numRuns: 3000 },
    );
  });

  it('takes every password that is percent-encoded, as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
        (given) => {
          const { config, hosts } = parseConnectionUrl(`postgresql://u:${encodeURIComponent(given)}@h:1/db`);
          expect([config.password, hosts]).to.deep.equal([given, [at('h', 1)]]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
