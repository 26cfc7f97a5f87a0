/** Shows what carries the traffic: routers, links and circuits, as a map and as lists that say the same. */
import { call, callFabric } from '../api/client.js';
import type { CallData } from '../api/contract.js';
import { linkTo } from '../api/route.js';
import { may, mayFabric } from '../api/session.js';
import { openJob } from '../jobs/state.js';
import { DataTable, Failure, Mark, PageHead, Panel, WaitMark } from '../parts/basics.js';
import { useData } from '../parts/use-data.js';
import { agoText, countText } from '../parts/words.js';
import { RouterMap } from './router-map.js';
import type { MapLink, MapRouter } from './router-map.js';

type FabricLink = CallData<'fabric', 'listLinks'>[number];
type Circuit = CallData<'fabric', 'listCircuits'>[number];

const MOST = 500;
const EVERY_MS = 3000;
const NANOSECONDS = 1e6;
const ROUTER_EVENTS = ['edgeRouter.', 'router.', 'transitRouter.', 'link.', 'circuit.'];

interface Carriers {
  readonly routers: readonly MapRouter[];
  readonly links: readonly MapLink[];
  readonly circuits: readonly Circuit[];
  readonly versions: ReadonlyMap<string, string>;
}

const latencyOf = ({ sourceLatency, destLatency }: FabricLink): number =>
  Math.max(sourceLatency, destLatency) / NANOSECONDS;

/** Routers as the fabric API has them, or for who may not read that, the routers of the management API. */
async function loadRouters() {
  if (mayFabric('listRouters')) {
    const routers = await callFabric('listRouters', { query: { limit: MOST } });
    return routers.map(({ id, name, connected, disabled, versionInfo }) => ({
      ...{ id, name, isOnline: connected, isDisabled: disabled, version: versionInfo?.version ?? '' },
    }));
  }
  const routers = may('listEdgeRouters') ? await call('listEdgeRouters', { query: { limit: MOST } }) : [];
  return routers.map(({ id, name, isOnline, disabled, versionInfo }) => ({
    ...{ id, name, isOnline, isDisabled: disabled, version: versionInfo?.version ?? '' },
  }));
}

async function loadCarriers(): Promise<Carriers> {
  const [routers, links, circuits] = await Promise.all([
    loadRouters(),
    mayFabric('listLinks') ? callFabric('listLinks', { query: { limit: MOST } }) : [],
    mayFabric('listCircuits') ? callFabric('listCircuits', { query: { limit: MOST } }) : [],
  ]);
  const over = (kind: 'nodes' | 'links', id: string) =>
    circuits.filter(({ path }) => path[kind].some((part) => part.id === id)).length;
  return {
    circuits,
    versions: new Map(routers.map(({ id, version }) => [id, version])),
    routers: routers.map(({ id, name, isOnline, isDisabled }) => ({
      ...{ id, name, isOnline, isDisabled, circuits: over('nodes', id) },
    })),
    links: links.map((link) => ({
      id: link.id,
      from: link.sourceRouter.id ?? '',
      to: link.destRouter.id ?? '',
      latencyMs: latencyOf(link),
      isUp: !link.down && link.state === 'Connected',
      circuits: over('links', link.id),
    })),
  };
}

function RouterState({ router }: { router: MapRouter }) {
  if (router.isDisabled) return <Mark kind="off">disabled</Mark>;
  return router.isOnline ? <Mark kind="good">online</Mark> : <Mark kind="bad">offline</Mark>;
}

function Lists({ carriers: { routers, links, circuits, versions } }: { carriers: Carriers }) {
  const nameOf = (id: string) => routers.find((router) => router.id === id)?.name ?? id;
  return (
    <>
      <Panel title="Routers">
        <DataTable
          label="Routers"
          columns={['Name', 'State', 'Circuits', 'Version']}
          empty="There are no routers yet. Without one, nobody reaches anything."
          rows={routers.map((router) => ({
            key: router.id,
            cells: [
              <a href={linkTo(['router', router.id])}>{router.name}</a>,
              <RouterState router={router} />,
              router.circuits,
              versions.get(router.id),
            ],
          }))}
        />
      </Panel>
      <Panel title="Links">
        <DataTable
          label="Links"
          columns={['From', 'To', 'State', 'Latency', 'Circuits']}
          empty="No two routers have a link."
          rows={links.map(({ id, from, to, isUp, latencyMs, circuits: over }) => ({
            key: id,
            cells: [
              nameOf(from),
              nameOf(to),
              isUp ? <Mark kind="good">up</Mark> : <Mark kind="bad">down</Mark>,
              `${latencyMs.toFixed(1)} ms`,
              over,
            ],
          }))}
        />
      </Panel>
      <Panel title="Circuits">
        <DataTable
          label="Circuits"
          columns={['Service', 'Path', 'Since']}
          empty="Nobody is connected to a service now."
          rows={circuits.map(({ id, service, path, createdAt }) => ({
            key: id,
            cells: [service.name, path.nodes.map(({ name }) => name).join(' → '), agoText(createdAt)],
          }))}
        />
      </Panel>
    </>
  );
}

export function NetworkPage() {
  const { data, failure, reload } = useData('network', loadCarriers, { every: EVERY_MS, on: ROUTER_EVENTS });
  const online = data?.routers.filter(({ isOnline }) => isOnline).length ?? 0;
  const lead =
    data === undefined
      ? 'Routers, links and circuits, as they are now.'
      : `${online} of ${countText(data.routers.length, 'router')} online, ${countText(data.links.length, 'link')}, ` +
        `${countText(data.circuits.length, 'circuit')}. Looked at every three seconds.`;
  return (
    <>
      <PageHead title="Network" lead={lead}>
        {may('createEdgeRouter') && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              openJob('router');
            }}
          >
            Add a router
          </button>
        )}
      </PageHead>
      <Failure text={failure} again={reload} />
      {data === undefined && failure === '' && <WaitMark />}
      {data !== undefined && (
        <>
          {data.routers.length > 0 && <RouterMap routers={data.routers} links={data.links} />}
          <Lists carriers={data} />
        </>
      )}
    </>
  );
}
