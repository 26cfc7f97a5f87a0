/** Publishes a service: name, address, host, and who may use it. */
import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import { linkTo } from '../api/route.js';
import { may } from '../api/session.js';
import { Notice } from '../parts/basics.js';
import { Dialog } from '../parts/dialog.js';
import { Form, Select, TextField } from '../parts/form.js';
import { AttributesField, EntityField } from '../parts/pickers.js';
import type { Named } from '../parts/pickers.js';
import { useData } from '../parts/use-data.js';
import { madeNames, publish } from './publish.js';
import type { Publication } from './publish.js';
import { closeJob } from './state.js';

const PROTOCOLS = [
  ['tcp', 'TCP'],
  ['udp', 'UDP'],
] as const;

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

interface Typed {
  readonly name: string;
  readonly address: string;
  readonly port: string;
  readonly protocol: 'tcp' | 'udp';
  readonly targetAddress: string;
  readonly targetPort: string;
  readonly host: string;
  readonly hostFound: Named | undefined;
  readonly hostRoles: readonly string[];
  readonly userRoles: readonly string[];
  readonly user: string;
  readonly userFound: Named | undefined;
}

const EMPTY: Typed = {
  ...{ name: '', address: '', port: '', protocol: 'tcp', targetAddress: '127.0.0.1', targetPort: '' },
  ...{ host: '', hostFound: undefined, hostRoles: [], userRoles: [], user: '', userFound: undefined },
};

const rolesOf = (attributes: readonly string[], found: Named | undefined): string[] => [
  ...attributes.map((name) => `#${name}`),
  ...(found === undefined ? [] : [`@${found.id}`]),
];

function publicationOf(typed: Typed): Publication {
  const { name, address, port, protocol, targetAddress, targetPort } = typed;
  return {
    ...{ name, address, protocol, targetAddress },
    port: Number(port),
    targetPort: Number(targetPort === '' ? port : targetPort),
    hosts: rolesOf(typed.hostRoles, typed.hostFound),
    users: rolesOf(typed.userRoles, typed.userFound),
  };
}

interface PartProps {
  readonly typed: Typed;
  readonly change: (changes: Partial<Typed>) => void;
  readonly known: readonly string[];
}

function Addresses({ typed, change }: PartProps) {
  return (
    <>
      <TextField label="Name" value={typed.name} onInput={(name) => change({ name })} required autoFocus />
      <div class="row">
        <TextField
          label="Address that clients use"
          value={typed.address}
          onInput={(address) => change({ address })}
          required
          placeholder="wiki.internal"
          hint="A name of your choice, or an IP address. It need not exist in DNS."
        />
        <TextField label="Port" value={typed.port} onInput={(port) => change({ port })} required />
        <Select
          label="Protocol"
          value={typed.protocol}
          options={PROTOCOLS}
          onChange={(protocol) => change({ protocol })}
        />
      </div>
      <div class="row">
        <TextField
          label="Address as its host sees it"
          value={typed.targetAddress}
          onInput={(targetAddress) => change({ targetAddress })}
          required
        />
        <TextField
          label="Port there"
          value={typed.targetPort}
          onInput={(targetPort) => change({ targetPort })}
          placeholder={typed.port === '' ? 'the same' : typed.port}
        />
      </div>
    </>
  );
}

function Who({ typed, change, known }: PartProps) {
  return (
    <>
      <fieldset>
        <legend>Who hosts it</legend>
        <EntityField
          label="Host: one identity"
          of="identities"
          value={typed.host}
          onChange={(host, hostFound) => change({ host, hostFound })}
        />
        <AttributesField
          label="Host: roles"
          value={typed.hostRoles}
          onChange={(hostRoles) => change({ hostRoles })}
          known={known}
        />
      </fieldset>
      <fieldset>
        <legend>Who may use it</legend>
        <AttributesField
          label="User: roles"
          value={typed.userRoles}
          onChange={(userRoles) => change({ userRoles })}
          known={known}
        />
        <EntityField
          label="User: one identity"
          of="identities"
          value={typed.user}
          onChange={(user, userFound) => change({ user, userFound })}
        />
      </fieldset>
    </>
  );
}

export function ServiceJob() {
  const [typed, setTyped] = useState(EMPTY);
  const [isShown, setShown] = useState(false);
  const [madeId, setMadeId] = useState('');
  const { data: known } = useData('attributes', () =>
    may('listIdentityRoleAttributes')
      ? call('listIdentityRoleAttributes', { query: { limit: 200 } })
      : Promise.resolve([]),
  );
  const change = (changes: Partial<Typed>) => setTyped((before) => ({ ...before, ...changes }));
  const publication = publicationOf(typed);
  const check = async () => {
    if (!isPort(typed.port) || (typed.targetPort !== '' && !isPort(typed.targetPort)))
      throw new Error('A port is a number from 1 to 65535.');
    if (publication.hosts.length === 0)
      throw new Error('Say who hosts it: an identity of exactly this name, or a role.');
    if (typed.user !== '' && typed.userFound === undefined) throw new Error(`No identity is called ${typed.user}.`);
    setShown(true);
  };
  return (
    <Dialog title="Publish a service" onClose={closeJob}>
      {madeId !== '' ? (
        <Published name={typed.name} id={madeId} />
      ) : isShown ? (
        <Preview publication={publication} onBack={() => setShown(false)} onMade={setMadeId} />
      ) : (
        <Form submit="Show what this makes" onSubmit={check}>
          <Addresses typed={typed} change={change} known={known ?? []} />
          <Who typed={typed} change={change} known={known ?? []} />
        </Form>
      )}
    </Dialog>
  );
}

interface PreviewProps {
  readonly publication: Publication;
  readonly onBack: () => void;
  readonly onMade: (id: string) => void;
}

function Preview({ publication, onBack, onMade }: PreviewProps) {
  const { address, port, protocol, targetAddress, targetPort, users } = publication;
  const back = (
    <button type="button" class="plain" onClick={onBack}>
      Back
    </button>
  );
  return (
    <Form submit="Publish" onSubmit={async () => onMade(await publish(publication))} actions={back}>
      <p>
        Clients that connect to <b>{`${address}:${port}`}</b> ({protocol}) get to{' '}
        <b>{`${targetAddress}:${targetPort}`}</b> as its host sees it.
      </p>
      <p>This makes:</p>
      <ul class="makes">
        {madeNames(publication).map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
      {users.length === 0 && <Notice kind="warn">Nobody may use it yet: give access later.</Notice>}
    </Form>
  );
}

function Published({ name, id }: { name: string; id: string }) {
  return (
    <>
      <Notice kind="good">
        <b>{name}</b> is published. Whether it can be reached shows in the picture: it needs a host that is online, and
        a router that both ends may use.
      </Notice>
      <div class="buttons">
        <a class="button plain" href={linkTo(['service', id])} onClick={closeJob}>
          Open the service
        </a>
        {may('detailNetworkAccess') && (
          <a class="button plain" href={linkTo(['access'], { serviceId: id })} onClick={closeJob}>
            In the picture
          </a>
        )}
        <button type="button" class="primary" onClick={closeJob}>
          Done
        </button>
      </div>
    </>
  );
}
