/** The network at a glance, and what happened last, as it happens. */
import { call } from '../api/client.js';
import type { CallData } from '../api/contract.js';
import { linkTo } from '../api/route.js';
import { may, whoIsIn } from '../api/session.js';
import { DataTable, Failure, Mark, PageHead, Panel, WaitMark } from '../parts/basics.js';
import type { MarkKind } from '../parts/basics.js';
import { Chart } from '../parts/chart.js';
import { useData } from '../parts/use-data.js';
import { agoText, bytesText, countText, numberText, spaced, timeText } from '../parts/words.js';
import { ChangeLine } from './change-line.js';
import { Unused } from './unused.js';

type State = CallData<'management', 'detailNetworkOverview'>;

const EVERY_MS = 5000;
const USAGE_EVERY_MS = 60_000;
const LAST = 12;
const ALL_EVENTS = [''];

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly kind?: MarkKind;
  readonly href?: string | undefined;
}

function Tile({ name, value, note, kind, href }: TileProps) {
  const inner = (
    <>
      <span class="tile-name">{name}</span>
      <span class="tile-value">{value}</span>
      <span class="tile-note">{kind === undefined ? note : <Mark kind={kind}>{note}</Mark>}</span>
    </>
  );
  return <li class="tile">{href === undefined ? <div>{inner}</div> : <a href={href}>{inner}</a>}</li>;
}

function dialNote(failed: number): { note: string; kind: MarkKind } {
  return failed === 0 ? { note: 'none failed', kind: 'good' } : { note: `${numberText(failed)} failed`, kind: 'bad' };
}

function Tiles({ state }: { state: State }) {
  const { controllers, routers, links, counts, dialsNow, dialsLastHour } = state;
  const away = controllers.total - controllers.live;
  return (
    <ul class="tiles">
      <Tile
        name="Controllers"
        value={`${controllers.live} of ${controllers.total}`}
        note={away === 0 ? 'all alive' : `${away} away`}
        kind={away === 0 ? 'good' : 'warn'}
      />
      {routers !== undefined && <RouterTile routers={routers} links={links?.total} />}
      <Tile
        name="Sessions"
        value={numberText(counts.apiSessions)}
        note={countText(counts.sessions, 'right in use', 'rights in use')}
      />
      <Tile name="Circuits" value={numberText(counts.circuits)} note="carry traffic now" href={linkTo(['network'])} />
      <Tile name="Dials, last 5 minutes" value={numberText(dialsNow.dials)} {...dialNote(dialsNow.failedDials)} />
      <Tile name="Dials, last hour" value={numberText(dialsLastHour.dials)} {...dialNote(dialsLastHour.failedDials)} />
      <Tile
        name="Identities"
        value={numberText(counts.identities)}
        note={countText(counts.services, 'service')}
        href={may('detailNetworkAccess') ? linkTo(['access']) : undefined}
      />
    </ul>
  );
}

function RouterTile({ routers, links }: { routers: NonNullable<State['routers']>; links: number | undefined }) {
  const away = routers.total - routers.online - routers.disabled;
  const note =
    routers.total === 0
      ? 'none yet'
      : away > 0
        ? `${away} offline`
        : links === undefined
          ? 'online'
          : countText(links, 'link');
  return (
    <Tile
      name="Routers online"
      value={`${routers.online} of ${routers.total}`}
      note={note}
      kind={away > 0 ? 'bad' : routers.total === 0 ? 'warn' : 'good'}
      href={linkTo(['network'])}
    />
  );
}

const LEVELS = { ok: 'good', warning: 'warn', fault: 'bad' } as const;

function Findings({ findings }: { findings: NonNullable<State['findings']> }) {
  const worse = findings.filter(({ level }) => level !== 'ok');
  const good = findings.length - worse.length;
  return (
    <Panel title="What doctor says">
      {worse.length === 0 && (
        <p>
          <Mark kind="good">nothing to do: {countText(good, 'check passes', 'checks pass')}</Mark>
        </p>
      )}
      <ul class="findings">
        {worse.map(({ check, level, message, fix }) => (
          <li key={`${check} ${message}`}>
            <Mark kind={LEVELS[level]}>{level}</Mark> <b>{check}</b>: {message}
            {fix !== undefined && fix !== '' && <span class="hint"> To do: {fix}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const CERTIFICATES = {
  root: 'Root',
  intermediate: 'Intermediate',
  server: 'Servers',
  router: 'Routers',
  identity: 'Identities',
  ca: 'Other CAs',
} as const;

function Certificates({ certificates }: { certificates: NonNullable<State['certificates']> }) {
  return (
    <Panel title="Certificates">
      <DataTable
        label="Certificates"
        columns={['Of', 'First to end', 'End within 30 days']}
        empty="There are none."
        rows={certificates.map(({ kind, endsAt, soonCount }) => ({
          key: kind,
          cells: [
            CERTIFICATES[kind],
            endsAt == null ? '–' : <span title={timeText(endsAt)}>{agoText(endsAt)}</span>,
            soonCount === 0 ? <Mark kind="good">none</Mark> : <Mark kind="warn">{soonCount}</Mark>,
          ],
        }))}
      />
    </Panel>
  );
}

function Usage() {
  const { data, failure } = useData('usage', () => call('detailNetworkUsage', { query: { hours: 24, top: 5 } }), {
    every: USAGE_EVERY_MS,
  });
  if (data === undefined) return failure === '' ? null : <Failure text={failure} />;
  const times = data.hours.map(({ hour }) => hour);
  const [dials, failed] = [data.hours.map((hour) => hour.dials), data.hours.map((hour) => hour.failedDials)];
  const bytes = data.hours.map(({ bytesIn, bytesOut }) => bytesIn + bytesOut);
  return (
    <Panel title="The last day" class="wide">
      <div class="charts">
        <Chart
          label="Dials by the hour"
          times={times}
          text={(value) => numberText(Math.round(value))}
          series={[
            { name: 'dials', values: dials, color: '--accent' },
            { name: 'failed', values: failed, color: '--bad', isDashed: true },
          ]}
        />
        <Chart
          label="Traffic by the hour"
          times={times}
          text={bytesText}
          series={[{ name: 'bytes', values: bytes, color: '--accent' }]}
        />
      </div>
      {data.top.length > 0 && (
        <DataTable
          label="Services with the most traffic"
          columns={['Service', 'Traffic', 'Dials', 'Failed']}
          empty=""
          rows={data.top.map(({ id, name, bytesIn, bytesOut, dials: all, failedDials }) => ({
            key: id,
            cells: [
              name === undefined ? 'one that is gone' : <a href={linkTo(['service', id])}>{name}</a>,
              bytesText(bytesIn + bytesOut),
              numberText(all),
              numberText(failedDials),
            ],
          }))}
        />
      )}
    </Panel>
  );
}

function LastChanges() {
  const { data, failure, reload } = useData('last', () => call('listAudit', { query: { limit: LAST } }), {
    on: ALL_EVENTS,
  });
  const all = (
    <a class="button plain small" href={linkTo(['changes'])}>
      All changes
    </a>
  );
  return (
    <Panel title="Last changes" actions={all}>
      <Failure text={failure} again={reload} />
      {data === undefined && failure === '' && <WaitMark />}
      <ol class="timeline" aria-live="polite">
        {data?.map((change) => (
          <li key={change.id}>
            <div class="line">
              <time dateTime={change.at} title={timeText(change.at)}>
                {agoText(change.at)}
              </time>
              <ChangeLine change={change} />
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Glance() {
  const { data, failure, reload } = useData('overview', () => call('detailNetworkOverview', {}), { every: EVERY_MS });
  if (data === undefined) return failure === '' ? <WaitMark /> : <Failure text={failure} again={reload} />;
  return (
    <>
      <Failure text={failure} again={reload} />
      <Tiles state={data} />
      {data.hidden.length > 0 && <p class="hint">Your rights do not cover: {data.hidden.map(spaced).join(', ')}.</p>}
      <div class="panels">
        {data.findings !== undefined && <Findings findings={data.findings} />}
        {data.certificates !== undefined && <Certificates certificates={data.certificates} />}
        <Unused knownSince={data.usesKnownSince} />
      </div>
    </>
  );
}

export function Overview() {
  return (
    <>
      <PageHead title="Overview" lead={`Signed in as ${whoIsIn.value?.name ?? ''}.`} />
      {may('detailNetworkOverview') ? (
        <Glance />
      ) : (
        <p class="empty">Your rights do not cover the state of the network.</p>
      )}
      <div class="panels">
        {!may('detailNetworkOverview') && <Unused knownSince={undefined} />}
        {may('detailNetworkUsage') && <Usage />}
        {may('listAudit') && <LastChanges />}
      </div>
    </>
  );
}
