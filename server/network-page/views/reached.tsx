/** Lists of what an identity reaches, and of who reaches a service: with state, cause, and the way to why. */
import { useState } from 'preact/hooks';
import { answerOf } from '../api/client.js';
import type { CallAnswer } from '../api/contract.js';
import { linkTo } from '../api/route.js';
import { may } from '../api/session.js';
import { Failure, Mark, WaitMark } from '../parts/basics.js';
import { useData } from '../parts/use-data.js';
import { countText } from '../parts/words.js';
import { STATES, causeText } from './states.js';

type Page = CallAnswer<'management', 'listNetworkAccessServices'>;
type AccessType = 'Dial' | 'Bind';

const STEP = 50;

interface ListProps {
  readonly name: string;
  readonly load: (limit: number) => Promise<Page>;
  readonly why: (id: string) => string;
  readonly page: (id: string) => string;
  readonly one: string;
  readonly many: string;
}

function ReachedList({ name, load, why, page, one, many }: ListProps) {
  const [show, setShow] = useState(STEP);
  const { data, failure, reload } = useData(name, () => load(show), {
    also: show,
    on: ['servicePolicy.', 'identity.', 'service.'],
  });
  if (data === undefined) return failure === '' ? <WaitMark /> : <Failure text={failure} again={reload} />;
  const items = data.data;
  const total = data.meta.pagination?.totalCount ?? items.length;
  if (total === 0) return <p class="empty">None.</p>;
  return (
    <>
      <p class="hint">{countText(total, one, many)}</p>
      <ul class="reached">
        {items.map(({ id, name: title, state, cause }) => (
          <li key={id}>
            <a href={page(id)}>{title}</a>
            <Mark kind={STATES[state].mark}>{cause === null ? STATES[state].word : causeText(cause)}</Mark>
            {may('explainIdentityAccess') && (
              <a class="why" href={why(id)} aria-label={`Why: ${title}`}>
                Why?
              </a>
            )}
          </li>
        ))}
      </ul>
      {total > items.length && show < 500 && (
        <button type="button" class="plain" onClick={() => setShow(Math.min(500, show + STEP * 3))}>
          Show more
        </button>
      )}
    </>
  );
}

export function ServicesOf({ identityId, type }: { identityId: string; type: AccessType }) {
  if (!may('listNetworkAccessServices')) return <p class="empty">Your rights do not cover services.</p>;
  return (
    <ReachedList
      name={`services ${identityId} ${type}`}
      load={(limit) =>
        answerOf('management', 'listNetworkAccessServices', { query: { identityId, type, limit, sort: 'name' } })
      }
      why={(id) => linkTo(['why', identityId, id], { type })}
      page={(id) => linkTo(['service', id])}
      one="service"
      many="services"
    />
  );
}

export function IdentitiesOf({ serviceId, type }: { serviceId: string; type: AccessType }) {
  if (!may('listNetworkAccessIdentities')) return <p class="empty">Your rights do not cover identities.</p>;
  return (
    <ReachedList
      name={`identities ${serviceId} ${type}`}
      load={(limit) =>
        answerOf('management', 'listNetworkAccessIdentities', { query: { serviceId, type, limit, sort: 'name' } })
      }
      why={(id) => linkTo(['why', id, serviceId], { type })}
      page={(id) => linkTo(['identity', id])}
      one="identity"
      many="identities"
    />
  );
}
