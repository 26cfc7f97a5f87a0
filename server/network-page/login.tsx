/** Forms to sign in: the first time, for a second factor, and again over the page when a session has ended. */
import { useState } from 'preact/hooks';
import { forgetLogin, giveCode, lastUsername, sessionState, signIn } from './api/session.js';
import { Dialog } from './parts/dialog.js';
import { Form, TextField } from './parts/form.js';

function PasswordForm() {
  const [username, setUsername] = useState(lastUsername.value);
  const [password, setPassword] = useState('');
  const submit = async () => {
    try {
      await signIn(username, password);
    } finally {
      setPassword('');
    }
  };
  return (
    <Form submit="Sign in" busy="Signing in…" onSubmit={submit}>
      <TextField label="Username" value={username} onInput={setUsername} required autoComplete="username" autoFocus />
      <TextField
        label="Password"
        value={password}
        onInput={setPassword}
        type="password"
        required
        autoComplete="current-password"
      />
    </Form>
  );
}

function CodeForm() {
  const [code, setCode] = useState('');
  const submit = async () => {
    try {
      await giveCode(code);
    } finally {
      setCode('');
    }
  };
  const back = (
    <button type="button" class="plain" onClick={forgetLogin}>
      Somebody else
    </button>
  );
  return (
    <Form submit="Give code" onSubmit={submit} actions={back}>
      <TextField
        label="Code"
        value={code}
        onInput={setCode}
        required
        autoComplete="one-time-code"
        autoFocus
        hint={`Of the authenticator app of ${lastUsername.value}, or a recovery code.`}
      />
    </Form>
  );
}

export function SignInPage() {
  return (
    <main class="login">
      <div class="card">
        <img src="/network-page/icon.svg" alt="" width="44" height="44" />
        <h1>Edge Controller</h1>
        <p class="lead">See who reaches what, and give access.</p>
        {sessionState.value === 'code' ? <CodeForm /> : <PasswordForm />}
      </div>
      <p class="hint">
        For programs: <a href="/docs">the API explorer</a>
      </p>
    </main>
  );
}

/** Lies over the page, whose fields keep what was typed into them. */
export function LoginAgain() {
  return (
    <Dialog title="Sign in again" lead="Your session has ended. What you have typed is still there.">
      {sessionState.value === 'code' ? <CodeForm /> : <PasswordForm />}
    </Dialog>
  );
}
