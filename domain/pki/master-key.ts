/**
 * Secrets at rest: private keys and TOTP secrets are sealed with AES-256-GCM (NIST SP 800-38D) under a master key
 * that is not in the database. Where the key comes from and where sealed bytes go is not known here.
 *
 * A sealed secret is: format (1 byte, 0x01), key id (8), nonce (12), ciphertext (as long as the secret), tag (16).
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 32;
const FORMAT = 0x01;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const SMALLEST = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;
/** Prefix of check values. Databases without it have their secrets sealed under the contexts of the first form. */
const CHECK_FORM = 'v2:';
const FIRST_CHECK_FORM = 'v1:';

/**
 * Reads a master key from a setting or a file: 64 hex digits, or base64 (also the URL form) of 32 bytes, each with an
 * optional `hex:` or `base64:` in front; white space around it is ignored.
 * @throws Error that says what was wrong and never what the text was
 */
export function parseMasterKey(text: string): Buffer {
  const key = decodeKey(text.trim());
  if (key.length !== KEY_BYTES)
    throw new Error(`the master key must have ${KEY_BYTES} bytes, this one has ${key.length}`);
  if (key.every((byte) => byte === key[0])) throw new Error('the master key repeats one byte: it is not random');
  return key;
}

function decodeKey(text: string): Buffer {
  const [, prefix, body] = /^(?:(hex|base64):)?(.*)$/s.exec(text) ?? [];
  if (!body) throw new Error('the master key is empty');
  if (prefix !== 'base64' && /^(?:[0-9a-f]{2})+$/i.test(body) && (prefix === 'hex' || body.length === 2 * KEY_BYTES)) {
    return Buffer.from(body, 'hex');
  }
  if (prefix !== 'hex' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(body)) return Buffer.from(body, 'base64');
  throw new Error('the master key is neither hex nor base64: make one with `openssl rand -base64 32`');
}

/** A fresh key in the form that `parseMasterKey` reads. */
export function newMasterKey(): string {
  return `base64:${randomBytes(KEY_BYTES).toString('base64')}`;
}

export interface KeyRing {
  /**
   * Seals under the current key.
   * @param context  what the secret is and whose, such as `totp:<identity id>`: opening needs the same, so that a
   *   sealed secret moved to another row is refused
   */
  seal(plain: Buffer | string, context: string): Buffer;
  /** @throws Error for an unknown format, a key that is not in the ring, another context, or changed bytes */
  open(sealed: Buffer, context: string): Buffer;
  /** True when sealed under the current key: what is not should be sealed again during a rotation. */
  isCurrent(sealed: Buffer): boolean;
  /** Text to store in the database, by which a node with another key is refused. Reveals nothing of the key. */
  checkValue(): string;
  /**
   * Tells which key of this ring made a check value; a value of the first form counts as that of an old one, since all
   * is to be sealed again.
   */
  matches(checkValue: string): 'current' | 'old' | 'none';
}

interface RingKey {
  readonly key: Buffer;
  readonly id: Buffer;
  readonly check: string;
}

/** @throws Error when a key has not 32 bytes */
export function createKeyRing(current: Buffer, old: readonly Buffer[] = []): KeyRing {
  const newest = ringKey(current);
  const keys = [newest, ...old.map(ringKey)];
  const idOf = (sealed: Buffer) => sealed.subarray(1, HEADER_BYTES);
  return {
    seal: (plain, context) => sealWith(newest, typeof plain === 'string' ? Buffer.from(plain) : plain, context),
    open: (sealed, context) => {
      if (sealed.length < SMALLEST || sealed[0] !== FORMAT) throw new Error('not a sealed secret of a known format');
      const key = keys.find(({ id }) => id.equals(idOf(sealed)));
      if (!key) throw new Error('sealed under a master key that this node does not have');
      return openWith(key, sealed, context);
    },
    isCurrent: (sealed) => sealed.length >= SMALLEST && sealed[0] === FORMAT && newest.id.equals(idOf(sealed)),
    checkValue: () => newest.check,
    matches: (checkValue) => {
      const latest = isOfFirstForm(checkValue) ? CHECK_FORM + checkValue.slice(FIRST_CHECK_FORM.length) : checkValue;
      const index = keys.findIndex(({ check }) => sameText(check, latest));
      if (index < 0) return 'none';
      return index === 0 && latest === checkValue ? 'current' : 'old';
    },
  };
}

/** True for the check value of a database whose secrets are sealed under contexts of before. */
export function isOfFirstForm(checkValue: string): boolean {
  return checkValue.startsWith(FIRST_CHECK_FORM);
}

function ringKey(key: Buffer): RingKey {
  if (key.length !== KEY_BYTES) throw new Error(`a master key must have ${KEY_BYTES} bytes`);
  const derive = (label: string) => createHmac('sha256', key).update(`edge-controller master key ${label}`).digest();
  return {
    key: Buffer.from(key),
    id: derive('id').subarray(0, KEY_ID_BYTES),
    check: CHECK_FORM + derive('check value').toString('hex'),
  };
}

/**
 * Header and context are authenticated, not encrypted. The header's length is fixed, so the two cannot run into each
 * other.
 */
function boundTo(header: Buffer, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context)]);
}

function sealWith({ key, id }: RingKey, plain: Buffer, context: string): Buffer {
  const header = Buffer.concat([Buffer.of(FORMAT), id]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(header, context));
  return Buffer.concat([header, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function openWith({ key }: RingKey, sealed: Buffer, context: string): Buffer {
  const nonce = sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const body = sealed.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(sealed.subarray(0, HEADER_BYTES), context)).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch (cause) {
    throw new Error('a sealed secret was changed, or belongs to another context', { cause });
  }
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
