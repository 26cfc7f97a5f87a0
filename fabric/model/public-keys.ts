/** The keys that routers check clients with: certificates of CAs, and the key that signs the JWTs of sessions. */
import type { X509Certificate } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { certFingerprint } from '../../domain/pki/keys.js';
import { firstCertificate } from '../../domain/pki/pem.js';
import {
  DataState_Action as Action,
  DataState_ChangeSetSchema,
  DataState_PublicKey_Format as Format,
  DataState_PublicKey_Usage as Usage,
} from '../../generated/fabric/data-model_pb.js';
import type { Message } from '../channel/frame.js';
import { typedMessage } from '../channel/frame.js';
import { ContentType } from '../channel/content-types.js';

/** Sources of the keys. */
export interface KeySources {
  /** Roots and intermediates of the network that are in force. */
  readonly own: readonly Pick<X509Certificate, 'raw'>[];
  /** CAs of others that may vouch for clients; of each PEM the first certificate. */
  readonly caPems: readonly string[];
  /** SubjectPublicKeyInfo of the key that signs the JWTs of sessions, and the names that JWTs have for it. */
  readonly signerDer: Buffer;
  readonly signerKids: readonly string[];
}

/** @property kid  unique; routers and JWTs name the key by it */
export interface PublicKey {
  readonly kid: string;
  readonly data: Buffer;
  readonly usage: Usage;
  readonly format: Format;
}

export function publicKeysOf({ own, caPems, signerDer, signerKids }: KeySources): Map<string, PublicKey> {
  const certificates = [...own.map(({ raw }) => raw), ...caPems.map(firstCertificate)];
  const keys: PublicKey[] = [
    ...certificates.map((data) => ({
      kid: certFingerprint(data),
      data,
      usage: Usage.CLIENT_X509_CERT_VALIDATION,
      format: Format.X509_CERT_DER,
    })),
    ...signerKids.map((kid) => ({ kid, data: signerDer, usage: Usage.JWT_VALIDATION, format: Format.PKIX_PUBLIC_KEY })),
  ];
  return new Map(keys.map((key) => [key.kid, key]));
}

/** Makes the changes from one set of keys to another, new keys first; undefined when they are the same. */
export function keyChanges(
  before: ReadonlyMap<string, PublicKey>,
  after: ReadonlyMap<string, PublicKey>,
): Message | undefined {
  const added = [...after.values()].filter(({ kid }) => !before.has(kid));
  const gone = [...before.values()].filter(({ kid }) => !after.has(kid));
  if (added.length + gone.length === 0) return undefined;
  return typedMessage(
    ContentType.DataStateChangeSet,
    DataState_ChangeSetSchema,
    create(DataState_ChangeSetSchema, {
      isSynthetic: true,
      changes: [
        ...added.map((key) => keyEvent(key, Action.CREATE)),
        ...gone.map((key) => keyEvent(key, Action.DELETE)),
      ],
    }),
  );
}

export const keyEvent = ({ kid, data, usage, format }: PublicKey, action: Action) => ({
  action,
  isSynthetic: true,
  model: { case: 'publicKey' as const, value: { kid, data: new Uint8Array(data), usages: [usage], format } },
});
