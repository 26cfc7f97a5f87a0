/**
 * Posture checks between the wire and the domain: each type has its model, chosen by `typeId` in either of its forms.
 */
import type { PostureCheck, PostureCheckType } from '../../domain/model.js';
import {
  parseAddresses,
  parseOperatingSystems,
  parseProcess,
  parseProcessChange,
  parseProcesses,
  parseTimeout,
} from '../../domain/posture/criteria.js';
import type { Criteria, CriteriaChange, MfaCriteria } from '../../domain/posture/criteria.js';
import { sortedSet } from '../../domain/sorted-set.js';
import type * as Request from '../../generated/management/request.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, linksOf, requireName, tagsFrom } from '../fields.js';
import { elementOfRow } from '../element-cache.js';
import { parseRoleAttributes } from '../../domain/policy/roles.js';

export function toPostureCheckDetail(check: PostureCheck): Response.PostureCheckDetail {
  const common = {
    name: check.name,
    roleAttributes: check.roleAttributes,
    version: check.version,
    ...baseFields(check, linksOf('posture-checks', check.id)),
  };
  switch (check.typeId) {
    case 'OS':
      return { typeId: 'OS', operatingSystems: check.criteria.operatingSystems, ...common };
    case 'MAC':
      return { typeId: 'MAC', macAddresses: check.criteria.macAddresses, ...common };
    case 'DOMAIN':
      return { typeId: 'DOMAIN', domains: check.criteria.domains, ...common };
    case 'MFA':
      return { typeId: 'MFA', ...shownMfa(check.criteria), ...common };
    case 'PROCESS':
      return { typeId: 'PROCESS', process: check.criteria.process, ...common };
    case 'PROCESS_MULTI':
      return {
        typeId: 'PROCESS_MULTI',
        semantic: check.criteria.semantic,
        processes: check.criteria.processes,
        ...common,
      };
  }
}

export const POSTURE_CHECK = elementOfRow('posture check', toPostureCheckDetail);

export function toPostureCheckTypeDetail(type: PostureCheckType): Response.PostureCheckTypeDetail {
  return {
    name: type.name,
    operatingSystems: type.operatingSystems,
    version: type.version,
    ...baseFields(type, linksOf('posture-check-types', type.id)),
  };
}

/** A type of a list. */
export const POSTURE_CHECK_TYPE = elementOfRow('posture check type', toPostureCheckTypeDetail);

/** Reads a POST or PUT. @throws DomainError `invalidField` */
export const postureCheckFrom = (body: Request.PostureCheckCreate | Request.PostureCheckUpdate) => ({
  name: requireName(body.name),
  roleAttributes: parseRoleAttributes(body.roleAttributes ?? []),
  tags: tagsFrom(body.tags),
  ...criteriaFrom(body),
});

/** Reads the criteria of a whole check. @throws DomainError `invalidField` */
function criteriaFrom(body: Request.PostureCheckCreate | Request.PostureCheckUpdate): Criteria {
  switch (body.typeId) {
    case 'OS':
    case 'postureCheckOperatingSystemCreate':
    case 'postureCheckOperatingSystemUpdate':
      return { typeId: 'OS', criteria: { operatingSystems: parseOperatingSystems(body.operatingSystems) } };
    case 'MAC':
    case 'postureCheckMacAddressCreate':
    case 'postureCheckMacAddressUpdate':
      return { typeId: 'MAC', criteria: { macAddresses: parseAddresses(body.macAddresses) } };
    case 'DOMAIN':
    case 'postureCheckDomainCreate':
    case 'postureCheckDomainUpdate':
      return { typeId: 'DOMAIN', criteria: { domains: sortedSet(body.domains) } };
    case 'MFA':
    case 'postureCheckMfaCreate':
    case 'postureCheckMfaUpdate':
      return {
        typeId: 'MFA',
        criteria: {
          timeoutSeconds: -1,
          promptOnWake: false,
          promptOnUnlock: false,
          ignoreLegacyEndpoints: false,
          ...givenMfa(body),
        },
      };
    case 'PROCESS':
    case 'postureCheckProcessCreate':
    case 'postureCheckProcessUpdate':
      return { typeId: 'PROCESS', criteria: { process: parseProcess(body.process) } };
    case 'PROCESS_MULTI':
    case 'postureCheckProcessMultiCreate':
    case 'postureCheckProcessMultiUpdate':
      return {
        typeId: 'PROCESS_MULTI',
        criteria: { semantic: body.semantic, processes: parseProcesses(body.processes) },
      };
  }
}

/** The fields of its type that a PATCH gives. @throws DomainError `invalidField` */
export function criteriaChangeFrom(body: Request.PostureCheckPatch): CriteriaChange {
  switch (body.typeId) {
    case 'OS':
    case 'postureCheckOperatingSystemPatch':
      return {
        typeId: 'OS',
        criteria:
          body.operatingSystems == null ? {} : { operatingSystems: parseOperatingSystems(body.operatingSystems) },
      };
    case 'MAC':
    case 'postureCheckMacAddressPatch':
      return {
        typeId: 'MAC',
        criteria: body.macAddresses == null ? {} : { macAddresses: parseAddresses(body.macAddresses) },
      };
    case 'DOMAIN':
    case 'postureCheckDomainPatch':
      return { typeId: 'DOMAIN', criteria: body.domains == null ? {} : { domains: sortedSet(body.domains) } };
    case 'MFA':
    case 'postureCheckMfaPatch':
      return { typeId: 'MFA', criteria: givenMfa(body) };
    case 'PROCESS':
    case 'postureCheckProcessPatch':
      return { typeId: 'PROCESS', criteria: body.process == null ? {} : { process: parseProcessChange(body.process) } };
    case 'PROCESS_MULTI':
    case 'postureCheckProcessMultiPatch':
      return {
        typeId: 'PROCESS_MULTI',
        criteria: {
          ...(body.semantic == null ? {} : { semantic: body.semantic }),
          ...(body.processes == null ? {} : { processes: parseProcesses(body.processes) }),
        },
      };
  }
}

function givenMfa(body: Request.PostureCheckMfaProperties): Partial<MfaCriteria> {
  return {
    ...(body.timeoutSeconds == null ? {} : { timeoutSeconds: parseTimeout(body.timeoutSeconds) }),
    ...(body.promptOnWake == null ? {} : { promptOnWake: body.promptOnWake }),
    ...(body.promptOnUnlock == null ? {} : { promptOnUnlock: body.promptOnUnlock }),
    ...(body.ignoreLegacyEndpoints == null ? {} : { ignoreLegacyEndpoints: body.ignoreLegacyEndpoints }),
  };
}

/** A flag that is off is left out. */
function shownMfa({
  timeoutSeconds,
  promptOnWake,
  promptOnUnlock,
  ignoreLegacyEndpoints,
}: MfaCriteria): Response.PostureCheckMfaProperties {
  return {
    timeoutSeconds,
    ...(promptOnWake ? { promptOnWake } : {}),
    ...(promptOnUnlock ? { promptOnUnlock } : {}),
    ...(ignoreLegacyEndpoints ? { ignoreLegacyEndpoints } : {}),
  };
}
