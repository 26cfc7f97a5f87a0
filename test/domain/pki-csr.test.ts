/** Signing requests: what is read of them and what is refused. */
import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DomainError } from '../../domain/errors.js';
import { readSigningRequest } from '../../domain/pki/csr.js';
import { pemBlocks, toPem } from '../../domain/pki/pem.js';

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

function refusal(csrPem: string): DomainError {
  try {
    readSigningRequest(csrPem);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.kind).to.equal('csrInvalid');
    return error;
  }
  return expect.fail('it was accepted');
}

describe('signing requests', () => {
  let directory: string;
  let valid: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'csr-'));
    valid = request(...EC);
  });
  after(() => rmSync(directory, { recursive: true }));

  /** Made by openssl, so that it is not our own code that agrees with itself; fails where there is none. */
  function request(...args: string[]): string {
    const path = join(directory, 'request.pem');
    execFileSync(
      'openssl',
      [
        'req',
        '-new',
        '-nodes',
        '-keyout',
        join(directory, 'key.pem'),
        '-subj',
        '/O=acme/CN=some name',
        '-out',
        path,
        ...args,
      ],
      { stdio: 'pipe' },
    );
    return readFileSync(path, 'utf8');
  }
  const publicKey = (): Buffer =>
    createPublicKey(readFileSync(join(directory, 'key.pem'), 'utf8')).export({ type: 'spki', format: 'der' });

  for (const [what, keyType, args] of [
    ['P-256', 'ec', EC],
    ['P-384 with SHA-384', 'ec', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384', '-sha384']],
    ['P-521 with SHA-512', 'ec', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521', '-sha512']],
    ['RSA-2048', 'rsa', ['-newkey', 'rsa:2048']],
    ['RSA-3072 with SHA-512', 'rsa', ['-newkey', 'rsa:3072', '-sha512']],
    ['extensions asked for', 'ec', [...EC, '-addext', 'basicConstraints=CA:TRUE', '-addext', 'keyUsage=keyCertSign']],
  ] as const) {
    it(`with ${what} are accepted, for their key`, async () => {
      const pem = request(...args);
      expect(readSigningRequest(pem)).to.deep.equal({
        publicKey: publicKey(),
        keyType,
        commonName: 'some name',
        names: { dns: [], ip: [] },
      });
    });
  }

  it('tell the host names and addresses that they ask for, and no other names', async () => {
    const wishes =
      'subjectAltName=DNS:evil.example.org,DNS:*.example,IP:10.0.0.1,IP:fd00::1,' +
      'URI:spiffe://domain/identity/x,email:a@b.example';
    expect(readSigningRequest(request(...EC, '-addext', wishes)).names).to.deep.equal({
      dns: ['evil.example.org', '*.example'],
      ip: ['10.0.0.1', 'fd00::1'],
    });
  });

  it('without a subject are accepted', async () => {
    expect(readSigningRequest(request(...EC, '-subj', '/')).commonName).to.equal(undefined);
  });

  it('are accepted under their old label', async () => {
    expect(readSigningRequest(valid.replaceAll('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST')).keyType).to.equal(
      'ec',
    );
  });

  it('whose signature was changed are refused', async () => {
    const der = pemBlocks(valid)[0]?.der as Buffer;
    der[der.length - 1] = (der[der.length - 1] as number) ^ 1;
    expect(refusal(toPem('CERTIFICATE REQUEST', der)).causeMessage).to.equal(
      'the signature of the request does not match its key',
    );
  });

  it('whose subject was changed are refused: the signature covers it', async () => {
    const der = Buffer.from(
      (pemBlocks(valid)[0]?.der as Buffer).toString('latin1').replace('some name', 'some_name'),
      'latin1',
    );
    expect(refusal(toPem('CERTIFICATE REQUEST', der)).causeMessage).to.equal(
      'the signature of the request does not match its key',
    );
  });

  it('that carry someone else’s key are refused: possession is not proven', async () => {
    const other = publicKey();
    const mine = request(...EC);
    const der = (pemBlocks(mine)[0]?.der as Buffer)
      .toString('latin1')
      .replace(publicKey().toString('latin1'), other.toString('latin1'));
    expect(refusal(toPem('CERTIFICATE REQUEST', Buffer.from(der, 'latin1'))).causeMessage).to.include(
      'does not match its key',
    );
  });

  for (const [what, reason, args] of [
    ['RSA-1024', /2048 to 8192 bits, this one has 1024/, ['-newkey', 'rsa:1024']],
    [
      'an RSA exponent of 40 bits',
      /exponent/,
      ['-newkey', 'rsa', '-pkeyopt', 'rsa_keygen_bits:2048', '-pkeyopt', 'rsa_keygen_pubexp:1099511627689'],
    ],
    ['SHA-1', /signed with ECDSA and SHA-1/, [...EC, '-sha1']],
    ['RSA and SHA-1', /SHA-1/, ['-newkey', 'rsa:2048', '-sha1']],
    ['MD5', /signed with/, ['-newkey', 'rsa:2048', '-md5']],
    ['the curve secp256k1', /not one of P-256/, ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1']],
    ['the curve P-224', /not one of P-256/, ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp224r1']],
    ['a Brainpool curve', /not one of P-256/, ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:brainpoolP256r1']],
    [
      'a curve given by its parameters',
      /curve|readable|PKCS#10|does not match its key/,
      [...EC, '-pkeyopt', 'ec_param_enc:explicit'],
    ],
    ['Ed448', /signed with|neither EC nor RSA/, ['-newkey', 'ed448']],
    ['RSA-PSS', /signed with|neither EC nor RSA/, ['-newkey', 'rsa-pss', '-pkeyopt', 'rsa_keygen_bits:2048']],
  ] as const) {
    it(`with ${what} are refused`, async () => expect(refusal(request(...args)).causeMessage).to.match(reason));
  }

  const texts: [string, () => string, RegExp][] = [
    ['empty', () => '', /must not be null or empty/],
    ['blank', () => ' \n', /must not be null or empty/],
    ['not PEM', () => 'hello', /could not decode csrPem as PEM/],
    ['PEM without an end', () => valid.replace('-----END', '-----'), /could not decode csrPem as PEM/],
    ['no request', () => toPem('CERTIFICATE REQUEST', Buffer.from('3003020100', 'hex')), /not a PKCS#10/],
    ['another kind of block', () => valid.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'), /found CERTIFICATE/],
    ['two requests', () => valid + valid, /one PEM block/],
    ['longer than 16384 characters', () => valid + ' '.repeat(16_384), /longer than 16384/],
    [
      'followed by more bytes',
      () =>
        toPem('CERTIFICATE REQUEST', Buffer.concat([pemBlocks(valid)[0]?.der as Buffer, Buffer.from('0500', 'hex')])),
      /not a PKCS#10/,
    ],
    [
      'cut off',
      () => toPem('CERTIFICATE REQUEST', (pemBlocks(valid)[0]?.der as Buffer).subarray(0, -20)),
      /not a PKCS#10/,
    ],
  ];
  for (const [what, text, reason] of texts) {
    it(`that are ${what} are refused`, async () => expect(refusal(text()).causeMessage).to.match(reason));
  }

  it('with any one byte changed are refused and never crash', async () => {
    const der = pemBlocks(valid)[0]?.der as Buffer;
    for (const [i, byte] of der.entries()) {
      const changed = Buffer.from(der);
      changed[i] = byte ^ 0x55;
      refusal(toPem('CERTIFICATE REQUEST', changed));
    }
  });
});
