/** Ends the API sessions of an identity, and with them its connections. */
import { useState } from 'preact/hooks';
import { answerOf, call } from '../api/client.js';
import { DataTable, Failure, Notice, WaitMark } from '../parts/basics.js';
import { Dialog } from '../parts/dialog.js';
import { Form } from '../parts/form.js';
import { EntityField } from '../parts/pickers.js';
import type { Named } from '../parts/pickers.js';
import { useData } from '../parts/use-data.js';
import { agoText, countText, filterText } from '../parts/words.js';
import { closeJob } from './state.js';
import type { OpenJob } from './state.js';

const AT_ONCE = 100;

const sessionsOf = (identityId: string) =>
  answerOf('management', 'listAPISessions', {
    query: { filter: `identity = ${filterText(identityId)}`, limit: AT_ONCE },
  });

/** @returns how many were ended */
async function endAll(identityId: string): Promise<number> {
  let ended = 0;
  for (;;) {
    const { data } = await sessionsOf(identityId);
    if (data.length === 0) return ended;
    for (const { id } of data) await call('deleteAPISessions', { params: { id } });
    ended += data.length;
  }
}

function Sessions({ identity, onEnded }: { identity: Named; onEnded: (count: number) => void }) {
  const { data, failure, reload } = useData(`sessions ${identity.id}`, () => sessionsOf(identity.id));
  if (data === undefined) return failure === '' ? <WaitMark /> : <Failure text={failure} again={reload} />;
  const total = data.meta.pagination?.totalCount ?? data.data.length;
  return (
    <Form
      submit={`End ${countText(total, 'session')}`}
      isReady={total > 0}
      isDanger
      onSubmit={async () => onEnded(await endAll(identity.id))}
    >
      <DataTable
        label={`Sessions of ${identity.name}`}
        columns={['From', 'Since', 'Last used']}
        empty={`${identity.name} has no sessions.`}
        rows={data.data.slice(0, 20).map(({ id, ipAddress, createdAt, cachedLastActivityAt, lastActivityAt }) => ({
          key: id,
          cells: [ipAddress, agoText(createdAt), agoText(cachedLastActivityAt ?? lastActivityAt ?? createdAt)],
        }))}
      />
      {total > 0 && <p class="hint">Its connections end too. It may sign in again unless it is disabled.</p>}
    </Form>
  );
}

export function SessionsJob({ about }: { about: OpenJob }) {
  const [text, setText] = useState(about.identity?.name ?? '');
  const [identity, setIdentity] = useState(about.identity);
  const [ended, setEnded] = useState<number | undefined>(undefined);
  return (
    <Dialog title="End somebody's sessions" onClose={closeJob}>
      {ended !== undefined ? (
        <>
          <Notice kind="good">
            {countText(ended, 'session')} of <b>{identity?.name}</b> ended.
          </Notice>
          <div class="buttons">
            <button type="button" class="primary" onClick={closeJob}>
              Done
            </button>
          </div>
        </>
      ) : (
        <>
          <EntityField
            label="Identity"
            of="identities"
            value={text}
            onChange={(typed, found) => {
              setText(typed);
              setIdentity(found);
            }}
          />
          {identity !== undefined && <Sessions key={identity.id} identity={identity} onEnded={setEnded} />}
        </>
      )}
    </Dialog>
  );
}
