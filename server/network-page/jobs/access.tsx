/** Gives an identity access to a service, or takes it: shows what changes before it is done. */
import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import { linkTo } from '../api/route.js';
import { may } from '../api/session.js';
import { Failure, Mark, Notice, WaitMark } from '../parts/basics.js';
import { Dialog } from '../parts/dialog.js';
import { Form, Radios } from '../parts/form.js';
import { EntityField } from '../parts/pickers.js';
import type { Named } from '../parts/pickers.js';
import { useData } from '../parts/use-data.js';
import { waysToGive, waysToTake } from './access-change.js';
import type { AccessQuestion, AccessType, AccessWay } from './access-change.js';
import { closeJob } from './state.js';
import type { OpenJob } from './state.js';

type Direction = 'give' | 'take';

const DIRECTIONS = [
  ['give', 'Give access'],
  ['take', 'Take access'],
] as const;
const TYPES = [
  ['Dial', 'Use it'],
  ['Bind', 'Host it'],
] as const;

function Roles({ name, roles }: { name: string; roles: readonly string[] }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {roles.length === 0 ? (
          'nothing'
        ) : (
          <ul class="chips">
            {roles.map((role) => (
              <li key={role}>{role}</li>
            ))}
          </ul>
        )}
      </dd>
    </div>
  );
}

function Impact({ way: { before, after, gains, loses, note }, who }: { way: AccessWay; who: string }) {
  return (
    <div class="impact" role="status">
      <dl class="facts">
        <Roles name="Before" roles={before} />
        <Roles name="After" roles={after} />
      </dl>
      {gains.length > 0 && (
        <p>
          <Mark kind="good">
            {who} gains {gains.join(', ')}
          </Mark>
        </p>
      )}
      {loses.length > 0 && (
        <p>
          <Mark kind="bad">
            {who} loses {loses.join(', ')}
          </Mark>
        </p>
      )}
      {gains.length + loses.length === 0 && <p>{who} gains and loses nothing: another policy gives the same.</p>}
      <p class="hint">{note}</p>
    </div>
  );
}

interface WaysProps {
  readonly question: AccessQuestion;
  readonly direction: Direction;
  readonly onDone: (way: AccessWay) => void;
}

function Ways({ question, direction, onDone }: WaysProps) {
  const { identity, service, type } = question;
  const [chosen, setChosen] = useState('');
  const { data, failure, reload } = useData(`ways ${identity.id} ${service.id} ${type} ${direction}`, () =>
    direction === 'give' ? waysToGive(question) : waysToTake(question),
  );
  if (data === undefined)
    return failure === '' ? <WaitMark what="Looking at policies" /> : <Failure text={failure} again={reload} />;
  const way = data.find(({ key }) => key === chosen) ?? data[0];
  if (way === undefined)
    return (
      <Notice kind="info">
        {direction === 'give'
          ? `A policy gives ${service.name} to ${identity.name} already.`
          : `No policy names ${identity.name} or a role of its own here: #all can only be taken from everybody.`}
      </Notice>
    );
  return (
    <Form
      submit={direction === 'give' ? 'Give access' : 'Take access'}
      isDanger={direction === 'take'}
      onSubmit={async () => {
        await way.run();
        onDone(way);
      }}
    >
      <Radios label="How" value={way.key} options={data.map(({ key, title }) => [key, title])} onChange={setChosen} />
      <Impact way={way} who={identity.name} />
    </Form>
  );
}

function Done({ question: { identity, service, type } }: { question: AccessQuestion }) {
  const { data } = useData(`verdict ${identity.id} ${service.id}`, () =>
    may('explainIdentityAccess')
      ? call('explainIdentityAccess', {
          params: { id: identity.id, serviceId: service.id },
          query: { type: type === 'Bind' ? 'bind' : 'dial' },
        })
      : Promise.resolve(undefined),
  );
  return (
    <>
      <Notice kind="good">Done. {data?.verdict}</Notice>
      {data !== undefined && data.remedy !== '' && <p class="hint">To do: {data.remedy}</p>}
      <div class="buttons">
        <a class="button plain" href={linkTo(['why', identity.id, service.id], { type })} onClick={closeJob}>
          Why?
        </a>
        <button type="button" class="primary" onClick={closeJob}>
          Done
        </button>
      </div>
    </>
  );
}

export function AccessJob({ about }: { about: OpenJob }) {
  const [identity, setIdentity] = useState<Named | undefined>(about.identity);
  const [service, setService] = useState<Named | undefined>(about.service);
  const [texts, setTexts] = useState({ identity: about.identity?.name ?? '', service: about.service?.name ?? '' });
  const [direction, setDirection] = useState<Direction>('give');
  const [type, setType] = useState<AccessType>('Dial');
  const [isDone, setDone] = useState(false);
  const question = identity === undefined || service === undefined ? undefined : { identity, service, type };
  return (
    <Dialog title="Give or take access" onClose={closeJob}>
      {isDone && question !== undefined ? (
        <Done question={question} />
      ) : (
        <>
          <div class="row">
            <EntityField
              label="Identity"
              of="identities"
              value={texts.identity}
              onChange={(text, found) => {
                setTexts((before) => ({ ...before, identity: text }));
                setIdentity(found);
              }}
            />
            <EntityField
              label="Service"
              of="services"
              value={texts.service}
              onChange={(text, found) => {
                setTexts((before) => ({ ...before, service: text }));
                setService(found);
              }}
            />
          </div>
          <div class="row">
            <Radios label="What" value={direction} options={DIRECTIONS} onChange={setDirection} />
            <Radios label="To" value={type} options={TYPES} onChange={setType} />
          </div>
          {question === undefined ? (
            <p class="hint">Name both: how it can be done, and what else that changes, is shown here.</p>
          ) : (
            <Ways
              key={`${question.identity.id} ${question.service.id} ${type} ${direction}`}
              question={question}
              direction={direction}
              onDone={() => setDone(true)}
            />
          )}
        </>
      )}
    </Dialog>
  );
}
