/** Adds an identity, and hands out the JWT that enrolls it. */
import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import { linkTo } from '../api/route.js';
import { may } from '../api/session.js';
import { Notice } from '../parts/basics.js';
import { Dialog } from '../parts/dialog.js';
import { Form, Radios, TextField } from '../parts/form.js';
import { CopyText, FileLink, QrCode } from '../parts/hand-out.js';
import { AttributesField } from '../parts/pickers.js';
import { useData } from '../parts/use-data.js';
import { agoText } from '../parts/words.js';
import { closeJob } from './state.js';

type Way = 'ott' | 'updb';

interface Made {
  readonly id: string;
  readonly name: string;
  readonly jwt: string;
  readonly expiresAt: string | undefined;
}

const WAYS = [
  ['ott', 'A device or program: it enrolls by this token and keeps a certificate'],
  ['updb', 'A person with a username and a password, which they choose when they enroll'],
] as const;

/** Makes a name that file systems of all kinds take. */
export const fileNameOf = (name: string, ending: string): string => {
  const safe = name.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '');
  return `${safe === '' ? 'enrollment' : safe}.${ending}`;
};

async function add(name: string, roleAttributes: readonly string[], way: Way, username: string): Promise<Made> {
  const { id } = await call('createIdentity', {
    body: {
      name,
      type: 'Default',
      isAdmin: false,
      roleAttributes: [...roleAttributes],
      enrollment: way === 'ott' ? { ott: true } : { updb: username },
    },
  });
  const { enrollment } = await call('detailIdentity', { params: { id: id ?? '' } });
  const made = enrollment[way];
  return { id: id ?? '', name, jwt: made?.jwt ?? '', expiresAt: made?.expiresAt };
}

function HandOut({ made, onNext }: { made: Made; onNext: () => void }) {
  const { id, name, jwt, expiresAt } = made;
  return (
    <>
      <Notice kind="good">
        <b>{name}</b> is there. The token works once{expiresAt === undefined ? '' : `, and ends ${agoText(expiresAt)}`}.
      </Notice>
      {jwt === '' ? (
        <p>Your rights do not cover the token. Somebody who may make enrollments can read it.</p>
      ) : (
        <>
          <div class="hand-out">
            <QrCode text={jwt} label={`QR code of the enrollment token of ${name}`} />
            <div>
              <FileLink name={fileNameOf(name, 'jwt')} text={jwt} label="Save as a file" />
              <p class="hint">Mobile clients scan the code; desktop clients and tunnelers take the file.</p>
            </div>
          </div>
          <CopyText label="The token as text" text={jwt} />
        </>
      )}
      <div class="buttons">
        <a class="button plain" href={linkTo(['identity', id])} onClick={closeJob}>
          Open the identity
        </a>
        <button type="button" class="plain" onClick={onNext}>
          Add another one
        </button>
        <button type="button" class="primary" onClick={closeJob}>
          Done
        </button>
      </div>
    </>
  );
}

export function PersonJob() {
  const [name, setName] = useState('');
  const [username, setUsername] = useState('');
  const [way, setWay] = useState<Way>('ott');
  const [attributes, setAttributes] = useState<readonly string[]>([]);
  const [made, setMade] = useState<Made | undefined>(undefined);
  const { data: known } = useData('attributes', () =>
    may('listIdentityRoleAttributes')
      ? call('listIdentityRoleAttributes', { query: { limit: 200 } })
      : Promise.resolve([]),
  );
  return (
    <Dialog title="Add a person or device" onClose={closeJob}>
      {made !== undefined ? (
        <HandOut
          made={made}
          onNext={() => {
            setMade(undefined);
            setName('');
            setUsername('');
          }}
        />
      ) : (
        <Form submit="Add" onSubmit={async () => setMade(await add(name, attributes, way, username))}>
          <TextField label="Name" value={name} onInput={setName} required autoFocus hint="Unique, such as laptop-17." />
          <Radios label="How it enrolls" value={way} options={WAYS} onChange={setWay} />
          {way === 'updb' && <TextField label="Username" value={username} onInput={setUsername} required />}
          <AttributesField label="Roles" value={attributes} onChange={setAttributes} known={known ?? []} />
        </Form>
      )}
    </Dialog>
  );
}
