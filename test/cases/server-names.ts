/** The names of a controller, and spellings of them in a request that a check or a client may take for the same. */
import { commonNameOf } from '../support/certificates.js';
import type { RequestOptions, TestNames } from '../support/certificates.js';
import { context, explicit, oid, sequence, text } from '../support/der.js';

/** The controller's own; the second name is `bücher.example`. */
export const CONTROLLER = { dns: ['ctrl.example', 'xn--bcher-kva.example'], ip: ['10.9.8.7', 'fd00::7'] } as const;

/** As clients may write the controller's names and addresses. */
export const SOUGHT = [...CONTROLLER.dns, ...CONTROLLER.ip, '::ffff:10.9.8.7', '64:ff9b::a09:807'];

export interface Spelling {
  readonly what: string;
  readonly request: Pick<RequestOptions, 'names' | 'subject' | 'extensions' | 'extendedKeyUsage' | 'basicConstraints'>;
}

const named = (what: string, names: TestNames): Spelling => ({ what, request: { names } });
const dns = (name: string) => named(`DNS ${JSON.stringify(name)}`, { dns: [name] });
const ip = (address: string, what = address) => named(`IP ${what}`, { ip: [address] });
const bytes = (what: string, tag: 2 | 7, value: Buffer) => named(what, { other: [context(tag, value, false)] });

const DNS_NAMES = [
  'ctrl.example',
  'CTRL.EXAMPLE',
  'ctrl.example.',
  'ctrl.example..',
  '.ctrl.example',
  'ctrl..example',
  '*.example',
  'c*.example',
  '*trl.example',
  'ctrl.*',
  '*',
  '*.*',
  '*.ctrl.example',
  'ctrl.example\0',
  'ctrl.example\0.other.example',
  'other.example\0ctrl.example',
  '\0ctrl.example',
  ' ctrl.example',
  'ctrl.example ',
  'ctrl.example\n',
  'ctrl.example\t',
  'ctrl.example:1280',
  'https://ctrl.example',
  'ctrl.example/',
  'user@ctrl.example',
  'DNS:ctrl.example',
  'ctrl.example,DNS:other.example',
  'other.example, DNS:ctrl.example',
  'ｃtrl.example',
  'ⅽtrl.example',
  'ctrl。example',
  'ctrl．example',
  'ct\u00adrl.example',
  'ct\u200brl.example',
  'c\u0442rl.example',
  'xn--ctrl-.example',
  'ctrl.xn--example-',
  'bücher.example',
  'BÜCHER.example',
  'bu\u0308cher.example',
  'xn--bcher-kva.example',
  'XN--BCHER-KVA.EXAMPLE',
  'xn--bcher-kva.example.',
  '*.xn--bcher-kva.example',
  'xn--*.example',
  '_ctrl.example',
  'ctrl_.example',
  '',
];
const NUMBERS_AS_NAMES = [
  '10.9.8.7',
  '10.9.8.7.',
  '0x0a.9.8.7',
  '0x0a090807',
  '168364039',
  '012.011.010.007',
  '10.9.2055',
  '10.591879',
  '１０.9.8.7',
  '10。9。8。7',
  '*.9.8.7',
  '[10.9.8.7]',
  '10.9.8.7%eth0',
  '10.9.8.7/32',
  '::ffff:10.9.8.7',
  '::ffff:a09:807',
  '[::ffff:10.9.8.7]',
  'fd00::7',
  '[fd00::7]',
  'fd00:0:0:0:0:0:0:7',
  '64:ff9b::10.9.8.7',
  '0.0.0.0',
  '::',
];
const ADDRESSES: readonly (readonly [address: string, what: string])[] = [
  ['10.9.8.7', 'as it is'],
  ['fd00::7', 'of version 6 as it is'],
  ['::ffff:a09:807', 'mapped'],
  ['::a09:807', 'compatible'],
  ['::ffff:0:a09:807', 'translated'],
  ['64:ff9b::a09:807', 'NAT64'],
  ['64:ff9b:1::a09:807', 'NAT64 of a site, /96'],
  ['64:ff9b:1:a09:8:700::', 'NAT64 of a site, /48'],
  ['64:ff9b:1:2:a:908:700:0', 'NAT64 of a site, /64'],
  ['2002:a09:807::', '6to4'],
  ['2002:a09:807:1::1', '6to4 in a subnet'],
  ['2001:0:a09:807::1', 'server of Teredo'],
  ['2001::f5f6:f7f8', 'client of Teredo'],
  ['fe80::5efe:a09:807', 'ISATAP'],
  ['2001:db8::200:5efe:a09:807', 'ISATAP of a global address'],
  ['0.0.0.0', 'unspecified'],
  ['::', 'unspecified, version 6'],
  ['::ffff:0:0', 'unspecified, mapped'],
];
const V4 = Buffer.of(10, 9, 8, 7);
const MASK = Buffer.alloc(4, 255);
const NAME = Buffer.from('ctrl.example');

/** Each for a request of its own: some make a request unreadable, and must not hide others. */
export const SPELLINGS: readonly Spelling[] = [
  ...DNS_NAMES.map(dns),
  ...NUMBERS_AS_NAMES.map(dns),
  ...ADDRESSES.map(([address, what]) => ip(address, what)),
  bytes('DNS in Latin-1', 2, Buffer.from('b\xfccher.example', 'latin1')),
  bytes('DNS with a byte order mark', 2, Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), NAME])),
  bytes('DNS in UTF-16', 2, Buffer.from('ctrl.example', 'utf16le').swap16()),
  bytes('DNS of four bytes that are the address', 2, V4),
  bytes('IP with a mask', 7, Buffer.concat([V4, MASK])),
  bytes(
    'IP of version 6 with a mask',
    7,
    Buffer.concat([Buffer.from('fd000000000000000000000000000007', 'hex'), Buffer.alloc(16, 255)]),
  ),
  bytes('IP of five bytes', 7, Buffer.concat([V4, Buffer.of(0)])),
  bytes('IP of three bytes', 7, V4.subarray(0, 3)),
  bytes('IP of no bytes', 7, Buffer.alloc(0)),
  bytes('IP in letters', 7, Buffer.from('10.9.8.7')),
  bytes('IP of sixteen letters', 7, Buffer.from('10.9.8.7\0\0\0\0\0\0\0\0')),
  named('URIs', { uri: ['https://ctrl.example', 'https://10.9.8.7', 'ctrl.example'] }),
  named('mail addresses', { email: ['ctrl.example', 'a@ctrl.example'] }),
  named('a directory name', { directory: [commonNameOf('ctrl.example')] }),
  named('another kind of name', {
    other: [context(0, Buffer.concat([oid('1.3.6.1.5.5.7.8.7'), explicit(0, text('ctrl.example'))]))],
  }),
  { what: 'the subject', request: { subject: commonNameOf('ctrl.example') } },
  {
    what: 'names in a second extension',
    request: {
      names: { dns: ['other.example'] },
      extensions: [{ oid: '2.5.29.17', value: sequence(context(2, NAME, false), context(7, V4, false)) }],
    },
  },
  {
    what: 'names in the extension of an issuer',
    request: { extensions: [{ oid: '2.5.29.18', value: sequence(context(2, NAME, false)) }] },
  },
  {
    what: 'the wish to be a CA and a server',
    request: {
      basicConstraints: { isCa: true },
      extendedKeyUsage: ['serverAuth', 'any'],
      names: { dns: ['ctrl.example'], ip: ['::ffff:a09:807'] },
    },
  },
];

/** The worst of them in one request, no more names than a router may ask for. */
export const WORST: Spelling['request'] = {
  names: {
    dns: ['ctrl.example', 'CTRL.EXAMPLE.', '*.example', '10.9.8.7', 'bücher.example', 'xn--bcher-kva.example'],
    ip: [...CONTROLLER.ip, '::ffff:a09:807', '::a09:807', '64:ff9b::a09:807'],
  },
  basicConstraints: { isCa: true },
  extendedKeyUsage: ['serverAuth', 'any'],
};
