/** Shows identities and services that nobody used for long, or since when that is known at all. */
import { useState } from 'preact/hooks';
import { answerOf } from '../api/client.js';
import { linkTo } from '../api/route.js';
import { may } from '../api/session.js';
import { Failure, Mark, Panel, WaitMark } from '../parts/basics.js';
import { useData } from '../parts/use-data.js';
import { agoText, countText, dayText, timeText } from '../parts/words.js';

const DAYS = 90;
const DAY_MS = 86_400_000;
const EVERY_MS = 10 * 60_000;
/** Numbers that are shown at first, and then. */
const [FEW, MANY] = [5, 200];

interface Item {
  readonly id: string;
  readonly name: string;
  readonly lastUsedAt?: string | null;
  readonly unusedSince: string;
}

interface ListProps {
  readonly of: 'identities' | 'services';
  readonly load: (limit: number) => Promise<{ readonly data: readonly Item[]; readonly total: number }>;
  readonly page: (id: string) => string;
}

function UnusedList({ of, load, page }: ListProps) {
  const [limit, setLimit] = useState(FEW);
  const { data: found, failure, reload } = useData(`unused ${of}`, () => load(limit), { every: EVERY_MS, also: limit });
  if (found === undefined) return failure === '' ? <WaitMark /> : <Failure text={failure} again={reload} />;
  const { data, total } = found;
  if (total === 0)
    return (
      <p>
        <Mark kind="good">all {of} are in use</Mark>
      </p>
    );
  return (
    <>
      <p class="hint">{of === 'identities' ? countText(total, 'identity', of) : countText(total, 'service')}</p>
      <ul class="reached">
        {data.map(({ id, name, lastUsedAt, unusedSince }) => (
          <li key={id}>
            <a href={page(id)}>{name}</a>
            <span class="hint" title={timeText(unusedSince)}>
              {lastUsedAt == null
                ? `not used since it is known, ${agoText(unusedSince)}`
                : `last used ${agoText(lastUsedAt)}`}
            </span>
          </li>
        ))}
      </ul>
      {total > data.length && limit < MANY && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            setLimit(MANY);
          }}
        >
          Show more
        </button>
      )}
    </>
  );
}

const query = (limit: number) => ({ days: DAYS, limit, sort: 'unusedSince' });

async function loadIdentities(limit: number) {
  const { data, meta } = await answerOf('management', 'listUnusedIdentities', { query: query(limit) });
  return { data, total: meta.pagination?.totalCount ?? data.length };
}

async function loadServices(limit: number) {
  const { data, meta } = await answerOf('management', 'listUnusedServices', { query: query(limit) });
  return { data, total: meta.pagination?.totalCount ?? data.length };
}

/** @param knownSince  when the network began to keep uses; undefined for who may not know */
export function Unused({ knownSince }: { knownSince: string | undefined }) {
  const [forIdentities, forServices] = [may('listUnusedIdentities'), may('listUnusedServices')];
  if (!forIdentities && !forServices) return null;
  const knownFrom = new Date(knownSince ?? 0).getTime() + DAYS * DAY_MS;
  return (
    <Panel title={`Not used for ${DAYS} days`}>
      {knownSince !== undefined && knownFrom > Date.now() ? (
        <p class="hint">
          Uses are known since {dayText(knownSince)}. What nobody uses is told from{' '}
          {dayText(new Date(knownFrom).toISOString())} on.
        </p>
      ) : (
        <>
          {forIdentities && (
            <UnusedList of="identities" load={loadIdentities} page={(id) => linkTo(['identity', id])} />
          )}
          {forServices && <UnusedList of="services" load={loadServices} page={(id) => linkTo(['service', id])} />}
        </>
      )}
    </Panel>
  );
}
