/** The audit as a time line: filters, live at its head, and what was before and after side by side. */
import { useState } from 'preact/hooks';
import { answerOf } from '../api/client.js';
import { changeQuery, route } from '../api/route.js';
import { Failure, PageHead, WaitMark } from '../parts/basics.js';
import { Select, TextField } from '../parts/form.js';
import { useData } from '../parts/use-data.js';
import { clockText, countText, dayText, filterText, spaced } from '../parts/words.js';
import { ChangeLine } from './change-line.js';
import type { AuditChange } from './change-line.js';

const PAGE = 50;
const ALL_EVENTS = [''];

const VERBS: readonly (readonly [string, string])[] = [
  ['', 'Everything'],
  ['created', 'Made'],
  ['updated', 'Changed'],
  ['deleted', 'Deleted'],
  ['login', 'Logins'],
];
const KINDS: readonly (readonly [string, string])[] = [
  ['', 'Anything'],
  ['identity', 'Identities'],
  ['service', 'Services'],
  ['servicePolicy', 'Service policies'],
  ['edgeRouter', 'Edge routers'],
  ['edgeRouterPolicy', 'Router policies of identities'],
  ['serviceEdgeRouterPolicy', 'Router policies of services'],
  ['config', 'Configs'],
  ['postureCheck', 'Posture checks'],
  ['authPolicy', 'Auth policies'],
  ['ca', 'CAs'],
];

/** The filter of the list, in the language of the API. */
function filterOf(query: URLSearchParams): string {
  const [verb, kind, actor, entity] = ['verb', 'kind', 'actor', 'entity'].map((name) => query.get(name) ?? '');
  const parts = [
    verb === 'login' ? 'kind contains "login."' : verb === '' ? '' : `kind contains ${filterText(`.${verb ?? ''}`)}`,
    kind === '' ? '' : `entityType = ${filterText(kind ?? '')}`,
    actor === '' ? '' : `actor.name contains ${filterText(actor ?? '')}`,
    entity === '' ? '' : `(entityName contains ${filterText(entity ?? '')} or entityId = ${filterText(entity ?? '')})`,
  ];
  return parts.filter((part) => part !== '').join(' and ');
}

const valueText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 1);

function Difference({ change: { before, after } }: { change: AuditChange }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  if (names.length === 0) return <p class="empty">Nothing more is recorded.</p>;
  return (
    <div class="scroll" role="group" aria-label="Before and after" tabIndex={0}>
      <table class="difference">
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="before">{valueText(before?.[name])}</td>
              <td class="after">{valueText(after?.[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Item({ change }: { change: AuditChange }) {
  const [isOpen, setOpen] = useState(false);
  const { address, controller, requestId, reason } = change;
  const source = [
    reason == null ? '' : `reason: ${spaced(reason)}`,
    address == null ? '' : `from ${address}`,
    controller == null ? '' : `at ${controller}`,
    requestId == null ? '' : `request ${requestId}`,
  ].filter((part) => part !== '');
  return (
    <li>
      <div class="line">
        <time dateTime={change.at}>{clockText(change.at)}</time>
        <ChangeLine change={change} />
        <button
          type="button"
          class="plain small"
          aria-expanded={isOpen}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          {isOpen ? 'Less' : 'More'}
        </button>
      </div>
      {isOpen && (
        <div class="more">
          <p class="hint">{source.join(', ')}</p>
          <Difference change={change} />
        </div>
      )}
    </li>
  );
}

function Filters({ query }: { query: URLSearchParams }) {
  const value = (name: string) => query.get(name) ?? '';
  const change = (name: string) => (text: string) => {
    changeQuery({ [name]: text });
  };
  return (
    <div class="filters" role="search" aria-label="Filter changes">
      <Select label="What happened" value={value('verb')} options={VERBS} onChange={change('verb')} />
      <Select label="To what" value={value('kind')} options={KINDS} onChange={change('kind')} />
      <TextField label="Name" type="search" value={value('entity')} onInput={change('entity')} />
      <TextField label="By whom" type="search" value={value('actor')} onInput={change('actor')} />
    </div>
  );
}

/** Changes of one day after another, as they come. */
function Days({ changes }: { changes: readonly AuditChange[] }) {
  const days = Map.groupBy(changes, ({ at }) => dayText(at));
  return (
    <>
      {[...days].map(([day, items]) => (
        <section key={day} class="day">
          <h2>{day}</h2>
          <ol class="timeline">
            {items.map((change) => (
              <Item key={change.id} change={change} />
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

export function ChangesPage() {
  const { query } = route.value;
  const [count, setCount] = useState(PAGE);
  const filter = filterOf(query);
  const { data, failure, reload } = useData(
    filter,
    () => answerOf('management', 'listAudit', { query: { limit: count, ...(filter === '' ? {} : { filter }) } }),
    { on: ALL_EVENTS, also: count },
  );
  const total = data?.meta.pagination?.totalCount ?? 0;
  return (
    <>
      <PageHead title="Changes" lead="Who did what, the latest first. New ones come by themselves." />
      <Filters query={query} />
      <Failure text={failure} again={reload} />
      {data === undefined && failure === '' && <WaitMark />}
      {data !== undefined && (
        <>
          <p class="hint" role="status">
            {countText(total, 'change')} {filter === '' ? 'on record' : 'that fit the filter'}
          </p>
          <Days changes={data.data} />
          {total > data.data.length && (
            <button
              type="button"
              class="plain"
              onClick={() => {
                setCount(count + PAGE);
              }}
            >
              Show older ones
            </button>
          )}
        </>
      )}
    </>
  );
}
