/** Lets an identity in again that was disabled by hand, or locked out by wrong passwords. */
import { useState } from 'preact/hooks';
import { call } from '../api/client.js';
import { may } from '../api/session.js';
import { Failure, Mark, Notice, WaitMark } from '../parts/basics.js';
import { Dialog } from '../parts/dialog.js';
import { Form } from '../parts/form.js';
import { EntityField } from '../parts/pickers.js';
import type { Named } from '../parts/pickers.js';
import { useData } from '../parts/use-data.js';
import { timeText } from '../parts/words.js';
import { closeJob } from './state.js';
import type { OpenJob } from './state.js';

interface UnlockProps {
  readonly identity: Named;
  readonly onDone: () => void;
}

function Unlock({ identity: { id, name }, onDone }: UnlockProps) {
  const [withFactor, setWithFactor] = useState(false);
  const { data, failure, reload } = useData(`unlock ${id}`, () => call('detailIdentity', { params: { id } }));
  if (data === undefined) return failure === '' ? <WaitMark /> : <Failure text={failure} again={reload} />;
  const { disabled, disabledAt, disabledUntil, isMfaEnabled } = data;
  const unlock = async () => {
    if (disabled) await call('enableIdentity', { params: { id } });
    if (withFactor) await call('removeIdentityMfa', { params: { id } });
    onDone();
  };
  return (
    <Form submit="Unlock" isReady={disabled || withFactor} onSubmit={unlock}>
      <p>
        {disabled ? (
          <Mark kind="bad">
            {name} is disabled{disabledAt == null ? '' : ` since ${timeText(disabledAt)}`}
            {disabledUntil == null ? ', without an end' : `, until ${timeText(disabledUntil)}`}
          </Mark>
        ) : (
          <Mark kind="good">{name} is not disabled</Mark>
        )}
      </p>
      {isMfaEnabled && may('removeIdentityMfa') && (
        <label class="choice">
          <input
            type="checkbox"
            checked={withFactor}
            onChange={({ currentTarget }) => setWithFactor(currentTarget.checked)}
          />
          Remove its second factor too: the device with the authenticator app is lost
        </label>
      )}
    </Form>
  );
}

export function UnlockJob({ about }: { about: OpenJob }) {
  const [text, setText] = useState(about.identity?.name ?? '');
  const [identity, setIdentity] = useState(about.identity);
  const [isDone, setDone] = useState(false);
  return (
    <Dialog title="Unlock" onClose={closeJob}>
      {isDone ? (
        <>
          <Notice kind="good">
            <b>{identity?.name}</b> may sign in again.
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
          {identity !== undefined && <Unlock key={identity.id} identity={identity} onDone={() => setDone(true)} />}
        </>
      )}
    </Dialog>
  );
}
