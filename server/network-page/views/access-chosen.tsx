/** Tells what is known of the node that was chosen in the picture, and the ways on from it. */
import { linkTo, route } from '../api/route.js';
import { may } from '../api/session.js';
import { Mark, Panel } from '../parts/basics.js';
import { countText } from '../parts/words.js';
import { nodeKey } from './access-picture.js';
import { IdentitiesOf, ServicesOf } from './reached.js';
import { STATES, countsText, groupName } from './states.js';
import type { AccessGroup, AccessPicture, ShownPolicy } from './states.js';

const NOTHING = 'Choose an identity, a role, a policy or a service in the picture: what it reaches is listed here.';

function Ways({ links }: { links: readonly (readonly [string, string] | undefined)[] }) {
  return (
    <p class="ways">
      {links.map((link) =>
        link === undefined ? null : (
          <a key={link[0]} class="button plain" href={link[1]}>
            {link[0]}
          </a>
        ),
      )}
    </p>
  );
}

/** Keeps type and filter of now. */
function focusOn(focus: Readonly<Record<string, string>>): string {
  const { query } = route.value;
  return linkTo(['access'], { type: query.get('type') ?? '', way: query.get('way') ?? '', ...focus });
}

function Reaches({
  picture,
  group,
  side,
}: {
  picture: AccessPicture;
  group: AccessGroup;
  side: 'identities' | 'services';
}) {
  const other = side === 'identities' ? 'services' : 'identities';
  const names = new Map(picture[other].map((found) => [found.key, groupName(found, `all ${other}`)]));
  const own = picture.reaches.filter((reach) => reach[side] === group.key);
  if (own.length === 0) return <p class="empty">Nothing is given here.</p>;
  return (
    <ul class="reached">
      {own.map((reach) => (
        <li key={reach[other]}>
          <b>{names.get(reach[other]) ?? reach[other]}</b>
          <Mark kind={STATES[reach.state].mark}>{STATES[reach.state].word}</Mark>
          <span class="hint">{countsText(reach.counts)}</span>
        </li>
      ))}
    </ul>
  );
}

interface GroupProps {
  readonly picture: AccessPicture;
  readonly group: AccessGroup;
  readonly side: 'identities' | 'services';
}

function GroupPanel({ picture, group, side }: GroupProps) {
  const isIdentity = side === 'identities';
  const { id, kind, roles, entities } = group;
  const [one] = roles;
  const focus = isIdentity ? 'identityId' : 'serviceId';
  const role = kind === 'role' && roles.length === 1 && isIdentity ? (one ?? '').slice(1) : '';
  const page =
    id === undefined
      ? undefined
      : ([
          isIdentity ? 'Open the identity' : 'Open the service',
          linkTo([isIdentity ? 'identity' : 'service', id]),
        ] as const);
  return (
    <Panel title={groupName(group, `all ${side}`)} class="side">
      {kind !== 'entity' && entities !== undefined && (
        <p class="lead">
          {isIdentity ? countText(entities, 'identity', 'identities') : countText(entities, 'service')}
        </p>
      )}
      <Ways
        links={[
          page,
          id === undefined ? undefined : ['Focus on it', focusOn({ [focus]: id })],
          role === '' ? undefined : ['Focus on this role', focusOn({ role })],
        ]}
      />
      {id === undefined ? (
        <Reaches picture={picture} group={group} side={side} />
      ) : isIdentity ? (
        <ServicesOf identityId={id} type={picture.type === 'Bind' ? 'Bind' : 'Dial'} />
      ) : (
        <IdentitiesOf serviceId={id} type={picture.type === 'Bind' ? 'Bind' : 'Dial'} />
      )}
    </Panel>
  );
}

function PolicyPanel({ policy }: { policy: ShownPolicy }) {
  const { id, name, state, counts, semantic, postureChecks } = policy;
  return (
    <Panel title={name} class="side">
      <p>
        <Mark kind={STATES[state].mark}>{STATES[state].word}</Mark>
      </p>
      <p>{countsText(counts)}</p>
      <p class="hint">
        {semantic === 'AllOf' ? 'Selects what has all of its roles' : 'Selects what has any of its roles'}
        {(postureChecks ?? 0) > 0 ? `, and asks for ${countText(postureChecks ?? 0, 'posture check')}` : ''}.
      </p>
      <Ways
        links={[
          may('detailServicePolicy') ? ['Open the policy', linkTo(['policy', id])] : undefined,
          ['Focus on it', focusOn({ policyId: id })],
        ]}
      />
    </Panel>
  );
}

export function Chosen({ picture, chosen }: { picture: AccessPicture; chosen: string }) {
  const policy = picture.policies.find(({ id }) => nodeKey('p', id) === chosen);
  if (policy !== undefined) return <PolicyPanel policy={policy} />;
  const identities = picture.identities.find(({ key }) => nodeKey('i', key) === chosen);
  if (identities !== undefined)
    return <GroupPanel key={chosen} picture={picture} group={identities} side="identities" />;
  const services = picture.services.find(({ key }) => nodeKey('s', key) === chosen);
  if (services !== undefined) return <GroupPanel key={chosen} picture={picture} group={services} side="services" />;
  return (
    <Panel title="Nothing chosen" class="side">
      <p class="hint">{NOTHING}</p>
    </Panel>
  );
}
