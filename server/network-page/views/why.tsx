/** Why an identity reaches a service, or not: the chain that a dial goes through, one verdict, one thing to do. */
import { call } from '../api/client.js';
import type { CallData } from '../api/contract.js';
import { changeQuery, linkTo, route } from '../api/route.js';
import { may } from '../api/session.js';
import { openJob } from '../jobs/state.js';
import { Failure, Mark, PageHead, Panel, WaitMark } from '../parts/basics.js';
import type { MarkKind } from '../parts/basics.js';
import { Select } from '../parts/form.js';
import { useData } from '../parts/use-data.js';

type Explanation = CallData<'management', 'explainIdentityAccess'>;
type Link = Explanation['links'][number];

const EVERY_MS = 5000;

const STEPS: Readonly<Record<Link['step'], string>> = {
  identity: 'Identity',
  login: 'Login',
  authPolicy: 'Auth policy',
  policies: 'Service policies',
  posture: 'Posture',
  routers: 'Routers',
  terminators: 'Hosts',
  path: 'Path',
  refusals: 'Last refusal',
};
const LINK_STATES: Readonly<Record<Link['state'], readonly [MarkKind, string]>> = {
  passes: ['good', 'passes'],
  stops: ['bad', 'stops it'],
  skipped: ['off', 'not reached'],
  hidden: ['off', 'not shown to you'],
};
const OUTCOMES: Readonly<Record<Explanation['outcome'], readonly [MarkKind, string]>> = {
  works: ['good', 'It works'],
  refused: ['bad', 'Refused'],
  unreachable: ['bad', 'Cannot be reached'],
  unknown: ['off', 'Not known'],
};
const PAGES: Readonly<Record<string, string>> = {
  'identities': 'identity',
  'services': 'service',
  'service-policies': 'policy',
  'edge-routers': 'router',
};

function Item({ item }: { item: Link['items'][number] }) {
  const page = PAGES[item.entity];
  return (
    <li>
      <Mark kind={item.isPassing ? 'good' : 'bad'}>
        {page === undefined ? <b>{item.name}</b> : <a href={linkTo([page, item.id])}>{item.name}</a>}: {item.finding}
      </Mark>
      {item.wanted !== undefined && (
        <span class="hint">
          Wanted: {item.wanted}. Found: {item.found ?? 'nothing'}.
        </span>
      )}
    </li>
  );
}

function Chain({ links }: { links: readonly Link[] }) {
  return (
    <ol class="chain">
      {links.map(({ step, state, finding, items }) => (
        <li key={step} class={state}>
          <h3>
            {STEPS[step]} <Mark kind={LINK_STATES[state][0]}>{LINK_STATES[state][1]}</Mark>
          </h3>
          <p>{finding}</p>
          {items.length > 0 && (
            <ul>
              {items.map((item) => (
                <Item key={`${item.entity} ${item.id} ${item.name}`} item={item} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

export function Why({ identityId, serviceId }: { identityId: string; serviceId: string }) {
  const type = route.value.query.get('type') === 'Bind' ? 'bind' : 'dial';
  const { data, failure, reload } = useData(
    `${identityId} ${serviceId} ${type}`,
    () => call('explainIdentityAccess', { params: { id: identityId, serviceId }, query: { type } }),
    { every: EVERY_MS },
  );
  const options = [
    ['dial', 'use the service'],
    ['bind', 'host the service'],
  ] as const;
  return (
    <>
      <PageHead title="Why" lead="What decides this access, in the order in which a dial meets it.">
        {may('patchServicePolicy') && (
          <button type="button" class="plain" onClick={() => openJob('access')}>
            Give or take access
          </button>
        )}
      </PageHead>
      <div class="filters">
        <Select
          label="To"
          value={type}
          options={options}
          onChange={(next) => changeQuery({ type: next === 'bind' ? 'Bind' : 'Dial' })}
        />
      </div>
      <Failure text={failure} again={reload} />
      {data === undefined && failure === '' && <WaitMark />}
      {data !== undefined && (
        <Panel title="The answer">
          <p class="verdict">
            <Mark kind={OUTCOMES[data.outcome][0]}>{OUTCOMES[data.outcome][1]}</Mark> {data.verdict}
          </p>
          {data.remedy !== '' && (
            <p class="remedy">
              <b>To do:</b> {data.remedy}
            </p>
          )}
          <p class="ways">
            <a class="button plain" href={linkTo(['identity', identityId])}>
              The identity
            </a>
            <a class="button plain" href={linkTo(['service', serviceId])}>
              The service
            </a>
          </p>
          <Chain links={data.links} />
        </Panel>
      )}
    </>
  );
}
