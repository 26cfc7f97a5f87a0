/** Reports of devices between the wire and the domain: each kind has its model, chosen by `typeId` in either form. */
import type { Report } from '../../domain/posture/report.js';
import type * as Request from '../../generated/client/request.js';

export function toReport(body: Request.PostureResponseCreate): Report {
  switch (body.typeId) {
    case 'OS':
    case 'postureResponseOperatingSystemCreate':
      return { kind: 'OS', checkId: body.id, type: body.type, version: body.version, build: body.build ?? null };
    case 'MAC':
    case 'postureResponseMacAddressCreate':
      return { kind: 'MAC', checkId: body.id, addresses: body.macAddresses };
    case 'DOMAIN':
    case 'postureResponseDomainCreate':
      return { kind: 'DOMAIN', checkId: body.id, domain: body.domain };
    case 'PROCESS':
    case 'postureResponseProcessCreate':
      return {
        kind: 'PROCESS',
        checkId: body.id,
        path: body.path ?? null,
        isRunning: body.isRunning ?? false,
        hash: body.hash ?? '',
        signerFingerprints: body.signerFingerprints ?? [],
      };
    case 'ENDPOINT_STATE':
    case 'postureResponseEndpointStateCreate':
      return { kind: 'ENDPOINT_STATE', woken: body.woken ?? false, unlocked: body.unlocked ?? false };
  }
}
