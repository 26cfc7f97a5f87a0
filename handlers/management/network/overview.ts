/** The state of the network at a glance, and its traffic of the last hours. */
import { X509Certificate } from 'node:crypto';
import type { OverviewFacts } from '../../../db/stores/network-overview.js';
import { holds } from '../../../domain/auth/rights.js';
import type * as Response from '../../../generated/management/response.js';
import { isoTime } from '../../fields.js';
import { ok } from '../../handler.js';
import type { Handler } from '../../handler.js';

/** GET /network/overview. */
export const detailNetworkOverview: Handler<'management', 'detailNetworkOverview'> = async (
  { caller },
  { stores, responseCache, ownState },
) => {
  const second = Math.floor(Date.now() / 1000);
  const facts = await responseCache.once(`network overview ${second}`, () => stores.networkOverview.facts());
  const sees = {
    routers: holds(caller, 'router.read'),
    certificates: ['router.read', 'identity.read', 'ca.read'].every((each) => holds(caller, each)),
    own: caller.isAdmin,
  };
  const { isScheduled, latestAt } = ownState.backups();
  return ok({
    asOf: isoTime(facts.now),
    controllers: {
      total: facts.controllersTotal,
      live: facts.controllersLive,
      items: facts.controllers.map((each) => ({ ...each, lastSeenAt: isoTime(new Date(each.lastSeenAt)) })),
    },
    counts: { ...facts.counts },
    dialsNow: toDials(facts.dialsNow),
    dialsLastHour: toDials(facts.dialsLastHour),
    usesKnownSince: isoTime(facts.usesKnownSince),
    ...(sees.routers ? { routers: { ...facts.routers }, links: { total: facts.links } } : {}),
    ...(sees.certificates ? { certificates: certificatesIn(facts) } : {}),
    ...(sees.own
      ? {
          findings: (await ownState.findings(stores)).map((finding) => ({ ...finding })),
          backups: { isScheduled, latestAt: latestAt && isoTime(latestAt) },
        }
      : {}),
    hidden: [
      ...(sees.routers ? [] : (['routers', 'links'] as const)),
      ...(sees.certificates ? [] : (['certificates'] as const)),
      ...(sees.own ? [] : (['findings', 'backups'] as const)),
    ],
  });
};

/** GET /network/usage. */
export const detailNetworkUsage: Handler<'management', 'detailNetworkUsage'> = async (
  { query, caller },
  { stores },
) => {
  const kind = query.kind ?? 'service';
  const usage = await stores.networkOverview.usage({
    kind,
    entityId: query.entityId ?? null,
    hours: query.hours ?? 24,
    top: query.top ?? 10,
  });
  const isNamed = holds(caller, kind === 'router' ? 'router.read' : 'service.read');
  const hours = usage.hours.map(({ hour, ...counts }) => ({ hour: isoTime(hour), ...counts }));
  return ok({
    kind,
    since: hours[0]?.hour ?? isoTime(new Date()),
    hours,
    top: usage.top.map(({ name, ...sum }) => ({ ...sum, ...(isNamed && name !== null ? { name } : {}) })),
  });
};

const toDials = ({ since, ...dials }: OverviewFacts['dialsNow']): Response.NetworkDials => ({
  ...dials,
  since: isoTime(new Date(since)),
});

const SOON_MS = 30 * 86_400_000;

function certificatesIn({ certificates, caCertificates, now }: OverviewFacts): Response.NetworkCertificates[] {
  const ends = caCertificates
    .map((pem) => new Date(new X509Certificate(pem).validTo).getTime() - now.getTime())
    .filter((ms) => ms > 0 && ms < SOON_MS);
  const ca = {
    kind: 'ca' as const,
    endsAt: ends.length === 0 ? null : isoTime(new Date(now.getTime() + Math.min(...ends))),
    soonCount: ends.length,
  };
  const others = certificates.map(({ kind, endsAt, soonCount }) => ({
    kind,
    endsAt: endsAt === null ? null : isoTime(new Date(endsAt)),
    soonCount,
  }));
  return [...others, ca];
}
