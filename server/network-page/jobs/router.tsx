/** Adds a router: the commands to paste on its machine, then waits until it is online. */
import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import { linkTo } from '../api/route.js';
import { may } from '../api/session.js';
import { Failure, Mark, Notice, WaitMark } from '../parts/basics.js';
import { Dialog } from '../parts/dialog.js';
import { Form, TextField } from '../parts/form.js';
import { CopyText, FileLink } from '../parts/hand-out.js';
import { AttributesField } from '../parts/pickers.js';
import { useData } from '../parts/use-data.js';
import { fileNameOf } from './person.js';
import { closeJob } from './state.js';

const EVERY_MS = 1500;
const ROUTER_PORT = '3022';

/** Host and port at which routers reach the controllers. */
async function controlAddress(): Promise<readonly [host: string, port: string]> {
  const controllers = may('listControllers') ? await call('listControllers', { query: { limit: 10 } }) : [];
  const address = controllers.find(({ ctrlAddress }) => ctrlAddress != null)?.ctrlAddress ?? '';
  // Without a port of their own, or without the right to know it, routers come to the port of the APIs.
  const [, host = location.hostname, port = location.port === '' ? '443' : location.port] =
    /^(?:\w+:)?\[?([^\]/]+?)\]?:(\d+)$/.exec(address) ?? [];
  return [host, port];
}

interface Added {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly jwt: string;
  readonly control: readonly [string, string];
}

async function add(name: string, address: string, roleAttributes: readonly string[]): Promise<Added> {
  const { id = '' } = await call('createEdgeRouter', { body: { name, roleAttributes: [...roleAttributes] } });
  const [router, control] = await Promise.all([call('detailEdgeRouter', { params: { id } }), controlAddress()]);
  return { id, name, address, jwt: router.enrollmentJwt ?? '', control };
}

/** One word for a POSIX shell, whatever it holds. */
const shellWord = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function commandsOf({ name, address, jwt, control: [host, port] }: Added): string {
  const file = fileNameOf(name, 'yml');
  const token = fileNameOf(name, 'jwt');
  return [
    `printf %s ${shellWord(jwt)} > ${token}`,
    `export ZITI_CTRL_ADVERTISED_ADDRESS=${shellWord(host)} ZITI_CTRL_ADVERTISED_PORT=${port}`,
    `export ZITI_ROUTER_ADVERTISED_ADDRESS=${shellWord(address)} ZITI_ROUTER_PORT=${ROUTER_PORT}`,
    `ziti create config router edge --routerName ${shellWord(name)} --output ${file}`,
    `ziti router enroll ${file} --jwt ${token}`,
    `ziti router run ${file}`,
  ].join('\n');
}

function WaitForRouter({ added }: { added: Added }) {
  const { id, name, jwt } = added;
  const { data, failure } = useData(`router job ${id}`, () => call('detailEdgeRouter', { params: { id } }), {
    every: EVERY_MS,
    on: ['edgeRouter.'],
  });
  const isOnline = data?.isOnline === true;
  return (
    <>
      {isOnline ? (
        <Notice kind="good">
          <b>{name}</b> is online. Router policies say who may use it; without one, nobody does.
        </Notice>
      ) : (
        <>
          <p>
            On the router's machine, with <code>ziti</code> installed:
          </p>
          <CopyText label="Commands" text={commandsOf(added)} />
          <FileLink name={fileNameOf(name, 'jwt')} text={jwt} label="Save the token as a file" />
          <WaitMark
            what={data?.isVerified === true ? 'Enrolled. Waiting until it is online' : 'Waiting until it enrolls'}
          />
        </>
      )}
      <Failure text={failure} />
      <p>
        <Mark kind={data?.isVerified === true ? 'good' : 'off'}>enrolled</Mark>{' '}
        <Mark kind={isOnline ? 'good' : 'off'}>online</Mark>
      </p>
      <div class="buttons">
        <a class="button plain" href={linkTo(['router', id])} onClick={closeJob}>
          Open the router
        </a>
        <button type="button" class="primary" onClick={closeJob}>
          {isOnline ? 'Done' : 'Close and do it later'}
        </button>
      </div>
    </>
  );
}

export function RouterJob() {
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const [attributes, setAttributes] = useState<readonly string[]>([]);
  const [added, setAdded] = useState<Added | undefined>(undefined);
  const { data: known } = useData('router attributes', () =>
    may('listEdgeRouterRoleAttributes')
      ? call('listEdgeRouterRoleAttributes', { query: { limit: 200 } })
      : Promise.resolve([]),
  );
  return (
    <Dialog title="Add a router" onClose={closeJob}>
      {added !== undefined ? (
        <WaitForRouter added={added} />
      ) : (
        <Form submit="Add" onSubmit={async () => setAdded(await add(name, address, attributes))}>
          <TextField label="Name" value={name} onInput={setName} required autoFocus />
          <TextField
            label="Host name or address at which clients reach it"
            value={address}
            onInput={setAddress}
            required
            placeholder="router1.example.com"
          />
          <AttributesField label="Roles" value={attributes} onChange={setAttributes} known={known ?? []} />
        </Form>
      )}
    </Dialog>
  );
}
