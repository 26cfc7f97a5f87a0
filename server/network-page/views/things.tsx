/** Pages of single things: an identity, a service, a policy, a router. */
import type { ComponentChildren } from 'preact';
import { call } from '../api/client.js';
import type { CallData } from '../api/contract.js';
import { linkTo } from '../api/route.js';
import { may } from '../api/session.js';
import { openJob } from '../jobs/state.js';
import { FactList, Failure, Mark, PageHead, Panel, WaitMark } from '../parts/basics.js';
import { useData } from '../parts/use-data.js';
import type { Loaded } from '../parts/use-data.js';
import { agoText, timeText } from '../parts/words.js';
import { IdentitiesOf, ServicesOf } from './reached.js';

type Identity = CallData<'management', 'detailIdentity'>;
type Policy = CallData<'management', 'detailServicePolicy'>;
type EdgeRouter = CallData<'management', 'detailEdgeRouter'>;
type Fact = readonly [string, ComponentChildren];

const EVERY_MS = 5000;

/** Shows what a thing has loaded, or why not. */
function Loading<T>({
  title,
  loaded,
  children,
}: {
  title: string;
  loaded: Loaded<T>;
  children: (data: T) => ComponentChildren;
}) {
  const { data, failure, reload } = loaded;
  if (data === undefined)
    return (
      <>
        <PageHead title={title} />
        {failure === '' ? <WaitMark /> : <Failure text={failure} again={reload} />}
      </>
    );
  return (
    <>
      {children(data)}
      <Failure text={failure} again={reload} />
    </>
  );
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Free values, such as tags: texts of anybody, shown as they are. */
function Values({ title, values }: { title: string; values: Readonly<Record<string, unknown>> | undefined }) {
  const entries = Object.entries(values ?? {});
  if (entries.length === 0) return null;
  return (
    <Panel title={title}>
      <FactList items={entries.map(([name, value]) => [name, plain(value)])} />
    </Panel>
  );
}

const rolesText = (attributes: readonly string[] | null | undefined): ComponentChildren =>
  attributes == null || attributes.length === 0 ? (
    'none'
  ) : (
    <ul class="chips">
      {attributes.map((name) => (
        <li key={name}>#{name}</li>
      ))}
    </ul>
  );

const inPicture = (focus: Readonly<Record<string, string>>) => (
  <a class="button plain" href={linkTo(['access'], focus)}>
    In the picture
  </a>
);

function stateOf({ disabled, disabledUntil, hasApiSession }: Identity): ComponentChildren {
  if (disabled)
    return <Mark kind="bad">disabled{disabledUntil == null ? '' : ` until ${timeText(disabledUntil)}`}</Mark>;
  return hasApiSession ? <Mark kind="good">signed in</Mark> : <Mark kind="off">not signed in</Mark>;
}

function deviceFacts({ sdkInfo, envInfo }: Identity): Fact[] {
  const sdk = [sdkInfo.type, sdkInfo.version, sdkInfo.appId, sdkInfo.appVersion].filter(Boolean).join(' ');
  const env = [envInfo.os, envInfo.osVersion ?? envInfo.osRelease, envInfo.arch, envInfo.hostname]
    .filter(Boolean)
    .join(' ');
  return [
    ['Client', sdk === '' ? 'not told' : sdk],
    ['Device', env === '' ? 'not told' : env],
  ];
}

export function IdentityPage({ id }: { id: string }) {
  const loaded = useData(`identity ${id}`, () => call('detailIdentity', { params: { id } }), {
    every: EVERY_MS,
    on: ['identity.'],
  });
  return (
    <Loading title="Identity" loaded={loaded}>
      {(identity) => (
        <>
          <PageHead title={identity.name} lead="Identity">
            {may('detailNetworkAccess') && inPicture({ identityId: id })}
            <IdentityJobs identity={identity} />
          </PageHead>
          <FactList
            items={[
              ['State', stateOf(identity)],
              ['At a router', identity.edgeRouterConnectionStatus],
              ['Roles', rolesText(identity.roleAttributes)],
              ['Second factor', identity.isMfaEnabled ? 'yes' : 'no'],
              ['Administrator', identity.isAdmin ? 'yes' : 'no'],
              ...deviceFacts(identity),
              ['Made', timeText(identity.createdAt)],
            ]}
          />
          <div class="panels">
            <Panel title="Uses">
              <ServicesOf identityId={id} type="Dial" />
            </Panel>
            <Panel title="Hosts">
              <ServicesOf identityId={id} type="Bind" />
            </Panel>
            <Values title="Tags" values={identity.tags} />
            <Values title="App data" values={identity.appData} />
          </div>
        </>
      )}
    </Loading>
  );
}

function IdentityJobs({ identity }: { identity: Identity }) {
  const about = { identity: { id: identity.id, name: identity.name } };
  return (
    <>
      {may('patchServicePolicy') && (
        <button type="button" class="plain" onClick={() => openJob('access', about)}>
          Give or take access
        </button>
      )}
      {may('deleteAPISessions') && (
        <button type="button" class="plain" onClick={() => openJob('sessions', about)}>
          End sessions
        </button>
      )}
      {may('enableIdentity') && identity.disabled && (
        <button type="button" class="primary" onClick={() => openJob('unlock', about)}>
          Unlock
        </button>
      )}
    </>
  );
}

async function loadService(id: string) {
  const [service, configs] = await Promise.all([
    call('detailService', { params: { id } }),
    may('listServiceConfig') ? call('listServiceConfig', { params: { id }, query: { limit: 20 } }) : [],
  ]);
  return { service, configs };
}

export function ServicePage({ id }: { id: string }) {
  const loaded = useData(`service ${id}`, () => loadService(id), { on: ['service.', 'config.'] });
  return (
    <Loading title="Service" loaded={loaded}>
      {({ service, configs }) => (
        <>
          <PageHead title={service.name} lead="Service">
            {may('detailNetworkAccess') && inPicture({ serviceId: id })}
            {may('patchServicePolicy') && (
              <button
                type="button"
                class="plain"
                onClick={() => openJob('access', { service: { id, name: service.name } })}
              >
                Give or take access
              </button>
            )}
          </PageHead>
          <FactList
            items={[
              ['Roles', rolesText(service.roleAttributes)],
              ['Encrypted end to end', service.encryptionRequired ? 'yes' : 'no'],
              ['Made', timeText(service.createdAt)],
            ]}
          />
          <div class="panels">
            <Panel title="Used by">
              <IdentitiesOf serviceId={id} type="Dial" />
            </Panel>
            <Panel title="Hosted by">
              <IdentitiesOf serviceId={id} type="Bind" />
            </Panel>
            {configs.map((config) => (
              <Panel key={config.id} title={`Config ${config.name} (${config.configType.name ?? ''})`}>
                <pre tabIndex={0}>{JSON.stringify(config.data, null, 2)}</pre>
              </Panel>
            ))}
            <Values title="Tags" values={service.tags} />
          </div>
        </>
      )}
    </Loading>
  );
}

const displayed = (roles: Policy['identityRolesDisplay']): ComponentChildren =>
  roles.length === 0 ? (
    'none'
  ) : (
    <ul class="chips">
      {roles.map(({ role, name }) => (
        <li key={role}>{name ?? role}</li>
      ))}
    </ul>
  );

export function PolicyPage({ id }: { id: string }) {
  const loaded = useData(`policy ${id}`, () => call('detailServicePolicy', { params: { id } }), {
    on: ['servicePolicy.'],
  });
  return (
    <Loading title="Service policy" loaded={loaded}>
      {(policy) => (
        <>
          <PageHead title={policy.name} lead={`Service policy: who ${policy.type === 'Bind' ? 'hosts' : 'uses'} what`}>
            {may('detailNetworkAccess') && inPicture({ policyId: id, type: policy.type === 'Bind' ? 'Bind' : 'Dial' })}
          </PageHead>
          <FactList
            items={[
              ['Identities', displayed(policy.identityRolesDisplay)],
              ['Services', displayed(policy.serviceRolesDisplay)],
              ['Posture checks', displayed(policy.postureCheckRolesDisplay)],
              ['Roles count', policy.semantic === 'AllOf' ? 'all of them together' : 'any of them'],
              ['Changed', timeText(policy.updatedAt)],
            ]}
          />
          <div class="panels">
            <Values title="Tags" values={policy.tags} />
          </div>
        </>
      )}
    </Loading>
  );
}

function routerFacts(router: EdgeRouter): Fact[] {
  const enrolls = router.enrollmentExpiresAt;
  return [
    ['State', router.isOnline ? <Mark kind="good">online</Mark> : <Mark kind="bad">offline</Mark>],
    ['Enrolled', router.isVerified ? 'yes' : enrolls == null ? 'no' : `no; its token ends ${agoText(enrolls)}`],
    ['Roles', rolesText(router.roleAttributes)],
    ['Version', router.versionInfo?.version ?? 'not told'],
    ['Tunneler', router.isTunnelerEnabled ? 'yes' : 'no'],
    ['Host name', router.hostname === '' ? 'not told' : router.hostname],
    ['Cost', router.cost],
    ['Made', timeText(router.createdAt)],
  ];
}

export function RouterPage({ id }: { id: string }) {
  const loaded = useData(`router ${id}`, () => call('detailEdgeRouter', { params: { id } }), {
    every: EVERY_MS,
    on: ['edgeRouter.'],
  });
  return (
    <Loading title="Router" loaded={loaded}>
      {(router) => (
        <>
          <PageHead title={router.name} lead="Edge router" />
          <FactList items={routerFacts(router)} />
          <div class="panels">
            <Values title="Tags" values={router.tags} />
            <Values title="App data" values={router.appData} />
          </div>
        </>
      )}
    </Loading>
  );
}
