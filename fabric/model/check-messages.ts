/** Posture checks as routers take them. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ModelCheck } from '../../domain/fabric/client-reach.js';
import type { DataState_PostureCheckSchema } from '../../generated/fabric/data-model_pb.js';

type Told = MessageInitShape<typeof DataState_PostureCheckSchema>;

export const checkOf = (check: ModelCheck): Told => ({
  id: check.id,
  name: check.name,
  typeId: check.typeId,
  subtype: criteriaOf(check),
});

function criteriaOf(check: ModelCheck): NonNullable<Told['subtype']> {
  switch (check.typeId) {
    case 'OS': {
      const osList = check.criteria.operatingSystems.map(({ type, versions }) => ({
        osType: type,
        osVersions: [...versions],
      }));
      return { case: 'osList', value: { osList } };
    }
    case 'MAC':
      return { case: 'mac', value: { macAddresses: [...check.criteria.macAddresses] } };
    case 'DOMAIN':
      return { case: 'domains', value: { domains: [...check.criteria.domains] } };
    case 'MFA': {
      const { timeoutSeconds, ...prompts } = check.criteria;
      return { case: 'mfa', value: { ...prompts, timeoutSeconds: BigInt(timeoutSeconds) } };
    }
    case 'PROCESS': {
      const { osType, path, hashes, signerFingerprint } = check.criteria.process;
      const fingerprints = signerFingerprint === undefined ? [] : [signerFingerprint];
      return { case: 'process', value: { osType, path, hashes: [...hashes], fingerprints } };
    }
    case 'PROCESS_MULTI': {
      const processes = check.criteria.processes.map(({ osType, path, hashes, signerFingerprints }) => ({
        osType,
        path,
        hashes: [...hashes],
        fingerprints: [...signerFingerprints],
      }));
      return { case: 'processMulti', value: { semantic: check.criteria.semantic, processes } };
    }
  }
}
