/** Shows who reaches what: the picture that the server computes, what to show of it, and a list that says the same. */
import { useMemo, useState } from 'preact/hooks';
import { call } from '../api/client.js';
import type { CallInput } from '../api/contract.js';
import { changeQuery, route } from '../api/route.js';
import { may } from '../api/session.js';
import { openJob } from '../jobs/state.js';
import { DataTable, Failure, Mark, PageHead, Panel, WaitMark } from '../parts/basics.js';
import { Select, TextField } from '../parts/form.js';
import { EntityField } from '../parts/pickers.js';
import { useData } from '../parts/use-data.js';
import { agoText, countText } from '../parts/words.js';
import { AccessGraph, Legend } from './access-graph.js';
import { Chosen } from './access-chosen.js';
import { drawingOf } from './access-picture.js';
import { STATES, countsText, groupName } from './states.js';
import type { AccessPicture, AccessStateName } from './states.js';

type Query = NonNullable<CallInput<'management', 'detailNetworkAccess'>['query']>;

const CHANGES_OF_ACCESS = [
  ...['identity.', 'service.', 'servicePolicy.', 'edgeRouterPolicy.', 'serviceEdgeRouterPolicy.', 'postureCheck.'],
  ...['terminator.', 'edgeRouter.', 'database.'],
];
const EVERY_MS = 15_000;
const MOST_NODES = 200;

const SHOWN: readonly (readonly [string, string])[] = [
  ['', 'Everything'],
  ['blocked', 'Blocked, for any reason'],
  ['posture', 'Stopped by posture'],
  ['unreachable', 'No router or host'],
  ['disabled', 'Disabled identities'],
  ['allowed', 'Allowed'],
];
const TYPES = [
  ['Dial', 'Who uses what'],
  ['Bind', 'Who hosts what'],
] as const;
const WAYS = [
  ['policies', 'Through policies'],
  ['direct', 'Directly'],
] as const;

/** The focus of the address, with what its chip says. */
const FOCI = ['identityId', 'role', 'policyId', 'serviceId'] as const;
type FocusKind = (typeof FOCI)[number];
const FOCUS_WORDS: Readonly<Record<FocusKind, string>> = {
  identityId: 'identity',
  role: 'role',
  policyId: 'policy',
  serviceId: 'service',
};

function queryOf(query: URLSearchParams, nodes: number): Query {
  const given = ['type', 'state', 'q', ...FOCI].flatMap((name) => {
    const value = query.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), nodes };
}

/** Kinds of focus whose things the reader may look for. */
const offeredFoci = (): readonly FocusKind[] => {
  const isFor = {
    identityId: may('listIdentities'),
    role: may('listIdentities'),
    policyId: may('listServicePolicies'),
  };
  return FOCI.filter((kind) => (kind === 'serviceId' ? may('listServices') : isFor[kind]));
};

function FocusPicker({ offered }: { offered: readonly FocusKind[] }) {
  const [kind, setKind] = useState<FocusKind>(offered[0] ?? 'policyId');
  const [text, setText] = useState('');
  const focus = (value: string) => {
    setText('');
    changeQuery({ [kind]: value, sel: '' });
  };
  const options = offered.map((name) => [name, `One ${FOCUS_WORDS[name]}`] as const);
  const of = { identityId: 'identities', serviceId: 'services', policyId: 'policies' } as const;
  return (
    <form
      class="focus-picker"
      onSubmit={(event) => {
        event.preventDefault();
        if (kind === 'role' && text !== '') focus(text.replace(/^#/, ''));
      }}
    >
      <Select label="Focus on" value={kind} options={options} onChange={setKind} />
      {kind === 'role' ? (
        <TextField label="Role" value={text} onInput={setText} hint="Enter shows it." />
      ) : (
        <EntityField
          key={kind}
          label="Name"
          of={of[kind]}
          value={text}
          onChange={(typed, found) => {
            setText(typed);
            if (found !== undefined) focus(found.id);
          }}
        />
      )}
    </form>
  );
}

/** Names what is focused on, each with a button that ends it. */
function Foci({ query, picture }: { query: URLSearchParams; picture: AccessPicture | undefined }) {
  const nameOf = (kind: FocusKind, id: string) => {
    if (kind === 'role') return `#${id}`;
    const found =
      kind === 'policyId'
        ? picture?.policies.find((policy) => policy.id === id)
        : picture?.[kind === 'identityId' ? 'identities' : 'services'].find((group) => group.id === id);
    return found?.name ?? id;
  };
  const foci = FOCI.filter((kind) => (query.get(kind) ?? '') !== '');
  if (foci.length === 0) return null;
  return (
    <ul class="chips" aria-label="Focus">
      {foci.map((kind) => {
        const name = nameOf(kind, query.get(kind) ?? '');
        return (
          <li key={kind}>
            {FOCUS_WORDS[kind]} {name}
            <button
              type="button"
              aria-label={`End the focus on ${name}`}
              onClick={() => {
                changeQuery({ [kind]: '', sel: '' });
              }}
            >
              ×
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Controls({ query }: { query: URLSearchParams }) {
  const value = (name: string) => query.get(name) ?? '';
  const type = value('type') === 'Bind' ? 'Bind' : 'Dial';
  const offered = offeredFoci();
  return (
    <div class="filters" role="search" aria-label="What to show">
      <Select label="Of" value={type} options={TYPES} onChange={(next) => changeQuery({ type: next, sel: '' })} />
      <Select
        label="Show"
        value={value('state')}
        options={SHOWN}
        onChange={(next) => changeQuery({ state: next, sel: '' })}
      />
      <TextField label="Search" type="search" value={value('q')} onInput={(q) => changeQuery({ q, sel: '' })} />
      <Select
        label="Drawn"
        value={value('way') === 'direct' ? 'direct' : 'policies'}
        options={WAYS}
        onChange={(way) => changeQuery({ way, sel: '' })}
      />
      {offered.length > 0 && <FocusPicker offered={offered} />}
    </div>
  );
}

/** Names what the picture lacks; '' when it is whole. */
function leftOutText({ leftOut }: AccessPicture): string {
  const parts = [
    leftOut.identities > 0 ? countText(leftOut.identities, 'more group') + ' of identities' : '',
    leftOut.policies > 0 ? countText(leftOut.policies, 'more policy', 'more policies') : '',
    leftOut.services > 0 ? countText(leftOut.services, 'more group') + ' of services' : '',
    leftOut.identityEdges + leftOut.serviceEdges > 0
      ? countText(leftOut.identityEdges + leftOut.serviceEdges, 'more line')
      : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `Not drawn: ${parts.join(', ')}. Search or focus to see them.`;
}

function ReachList({ picture }: { picture: AccessPicture }) {
  const groups = new Map([...picture.identities, ...picture.services].map((group) => [group.key, group]));
  const nameOf = (key: string, all: string) => {
    const group = groups.get(key);
    return group === undefined ? key : groupName(group, all);
  };
  return (
    <DataTable
      label="Who reaches what, as a list"
      columns={['Identities', 'Services', 'State', 'In numbers']}
      empty="Nobody reaches anything that is shown."
      rows={picture.reaches.map(({ identities, services, state, counts }) => ({
        key: `${identities} ${services}`,
        cells: [
          nameOf(identities, 'all identities'),
          nameOf(services, 'all services'),
          <Mark kind={STATES[state].mark}>{STATES[state].word}</Mark>,
          countsText(counts),
        ],
      }))}
    />
  );
}

function Picture({ picture, query }: { picture: AccessPicture; query: URLSearchParams }) {
  const isDirect = query.get('way') === 'direct';
  const search = query.toString();
  const { nodes, edges } = useMemo(
    () => drawingOf(picture, isDirect, new URLSearchParams(search)),
    [picture, isDirect, search],
  );
  const states = [...new Set(edges.map(({ state }) => state))];
  const order = (Object.keys(STATES) as AccessStateName[]).filter((state) => states.includes(state));
  if (nodes.length === 0) return <p class="empty">Nothing here fits what is asked for. Change what to show above.</p>;
  const what = picture.type === 'Bind' ? 'Hosts' : 'Identities';
  return (
    <>
      <Legend states={order} />
      <div class="with-side">
        <AccessGraph
          heads={isDirect ? [what, '', 'Services'] : [what, 'Policies', 'Services']}
          nodes={nodes}
          edges={edges}
          chosen={query.get('sel') ?? ''}
        />
        <Chosen picture={picture} chosen={query.get('sel') ?? ''} />
      </div>
    </>
  );
}

export function Access() {
  const { query } = route.value;
  const [nodes, setNodes] = useState<number | undefined>(undefined);
  const asked = queryOf(query, nodes ?? 50);
  const { data, failure, reload } = useData('access', () => call('detailNetworkAccess', { query: asked }), {
    every: EVERY_MS,
    on: CHANGES_OF_ACCESS,
    also: JSON.stringify(asked),
  });
  const missing = data === undefined ? '' : leftOutText(data);
  return (
    <>
      <PageHead
        title="Who reaches what"
        lead="As service policies give it and the network allows it, computed by the controller."
      >
        {may('patchServicePolicy') && (
          <button type="button" class="primary" onClick={() => openJob('access')}>
            Give or take access
          </button>
        )}
      </PageHead>
      <Controls query={query} />
      <Foci query={query} picture={data} />
      <Failure text={failure} again={reload} />
      {data === undefined && failure === '' && <WaitMark />}
      {data !== undefined && (
        <>
          <Picture picture={data} query={query} />
          <p class="hint" role="status">
            As of {agoText(data.asOf)}. {missing}{' '}
            {missing !== '' && nodes === undefined && (
              <button type="button" class="plain small" onClick={() => setNodes(MOST_NODES)}>
                Draw up to {MOST_NODES} in a column
              </button>
            )}
          </p>
          <Panel title="As a list">
            <ReachList picture={data} />
          </Panel>
        </>
      )}
    </>
  );
}
