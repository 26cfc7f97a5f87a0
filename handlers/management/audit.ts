/** The audit record: who changed what, and who logged in. */
import type { AuditRecord } from '../../domain/audit.js';
import type * as Response from '../../generated/management/response.js';
import { isoTime, linksOf } from '../fields.js';
import { listOf, ok } from '../handler.js';
import type { Handler } from '../handler.js';

/** GET /audit. */
export const listAudit: Handler<'management', 'listAudit'> = async ({ query }, { stores }) =>
  listOf(await stores.auditRecords.list(query), toDetail);

/** GET /audit/{id}. Fails: `notFound`. */
export const detailAudit: Handler<'management', 'detailAudit'> = async ({ params }, { stores }) =>
  ok(toDetail(await stores.auditRecords.get(params.id)));

function toDetail({ at, before, after, ...record }: AuditRecord): Response.AuditRecordDetail {
  return {
    _links: linksOf('audit', record.id),
    ...record,
    at: isoTime(at),
    before: before === null ? null : { ...before },
    after: after === null ? null : { ...after },
  };
}
