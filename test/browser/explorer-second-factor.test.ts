/** The API explorer with an identity that has a second factor. Against a whole controller, in Chromium. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { authPolicy } from '../support/auth-policy.js';
import type { WatchedPage } from '../support/browser.js';
import { expectStatus } from '../support/client.js';
import type { Caller, TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { codeAt, enrollTotp } from '../support/totp.js';
import type { Totp } from '../support/totp.js';
import { useExplorer } from './explorer-support.js';

interface Enrolled extends Caller, Totp {}

describe('the API explorer and a second factor', function explorerSecondFactor() {
  this.timeout(120_000);
  // As in explorer.test.ts: a page of Chromium may stop to draw on a busy machine.
  this.retries(1);
  let controller: TestController;
  let watched: WatchedPage;
  let page: Page;
  useExplorer((started, opened) => {
    [controller, watched, page] = [started, opened, opened.page];
  });

  const press = (button: Locator) => button.press('Enter');
  const status = (text: string) => page.locator('#status', { hasText: text }).waitFor();
  const field = () => page.getByLabel('Code');
  const signIn = async ({ username, password }: Caller) => {
    // The smaller document: what is tested is the same on both, and a page of the other takes much longer to draw.
    await page.goto(`${controller.url}/docs?urls.primaryName=Client+API#/Current%20Identity/getCurrentIdentity`);
    await page.locator('.opblock-tag').first().waitFor();
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await press(page.getByRole('button', { name: 'Sign in' }));
  };
  const give = async (code: string) => {
    await field().fill(code);
    await press(page.getByRole('button', { name: 'Give code' }));
  };
  const enroll = async (): Promise<Enrolled> => {
    const caller = await controller.newCaller({ isAdmin: true });
    const totp = await enrollTotp(caller.client);
    await controller.database.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [caller.id]);
    return { ...caller, ...totp };
  };
  /** What the session of the page is answered. */
  const listed = () =>
    page.evaluate<number>(`fetch('${M}/identities', { headers: {
      'zt-session': window.ui.authSelectors.authorized().getIn(['ztSession', 'value']),
    } }).then(({ status }) => status)`);

  it('asks for a code after the password, and the session is good for everything then', async () => {
    const caller = await enroll();
    await signIn(caller);
    await status(`Code of the authenticator app of ${caller.username}`);
    await watched.screenshot('explorer-code');
    expect(await listed()).to.equal(401);
    const code = codeAt(caller.secret);
    await give(`${code.slice(0, 3)} ${code.slice(3)}`);
    await status(`Signed in as ${caller.username}`);
    expect(await field().isVisible()).to.equal(false);
    expect(await field().inputValue()).to.equal('');
    expect(await listed()).to.equal(200);
  });

  it('takes a recovery code, in small letters too', async () => {
    const caller = await enroll();
    await signIn(caller);
    await status('or a recovery code');
    await give((caller.recoveryCodes[0] ?? '').toLowerCase());
    await status('Signed in as');
    expect(await listed()).to.equal(200);
  });

  it('says what to do about a wrong code, and takes the right one after it', async () => {
    const caller = await enroll();
    await signIn(caller);
    await status('Code of');
    await give('nonsense');
    await status('The code is wrong or was used before: take the next one of the app, or a recovery code');
    await watched.screenshot('explorer-wrong-code');
    expect(await field().isVisible()).to.equal(true);
    await give(caller.recoveryCodes[0] ?? '');
    await status('Signed in as');
  });

  it('shows how long to wait when too many codes were wrong', async () => {
    const caller = await enroll();
    const sql = "UPDATE mfas SET blocked_until = now() + interval '200 seconds' WHERE identity_id = $1";
    await controller.database.query(sql, [caller.id]);
    await signIn(caller);
    await status('Code of');
    await give(codeAt(caller.secret));
    await page
      .locator('#status')
      .filter({ hasText: /^Too many attempts: try again in \d{2,3} s$/ })
      .waitFor();
    await controller.database.query('UPDATE mfas SET blocked_until = NULL WHERE identity_id = $1', [caller.id]);
    await give(caller.recoveryCodes[0] ?? '');
    await status('Signed in as');
  });

  it('says so when the session ended before a code was given, and signs out and in again', async () => {
    const caller = await enroll();
    await signIn(caller);
    await status('Code of');
    await controller.database.query('DELETE FROM api_sessions WHERE identity_id = $1', [caller.id]);
    await page.waitForFunction(`fetch('${M}/current-api-session', { headers: {
      'zt-session': window.ui.authSelectors.authorized().getIn(['ztSession', 'value']),
    } }).then(({ status }) => status === 401)`);
    await give(caller.recoveryCodes[0] ?? '');
    await status('The session has ended: sign out and in again');
    await press(page.getByRole('button', { name: 'Sign out' }));
    await status('Not signed in');
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });
    expect(await page.locator('#status').getAttribute('class')).to.equal('');
    expect(await field().isVisible()).to.equal(false);
    await signIn(caller);
    await status('Code of');
  });

  it('says what to do when the policy asks for an app that is not enrolled yet', async () => {
    const caller = await controller.newCaller();
    const authPolicyId = await make(controller, 'auth-policies', authPolicy({ secondary: { requireTotp: true } }));
    expectStatus(await controller.admin.patch(`${M}/identities/${caller.id}`, { authPolicyId }), 200);
    await signIn(caller);
    await status('an authenticator app must be enrolled first');
    expect(await field().isVisible()).to.equal(false);
  });

  it('asks for no code where none is owed, and forgets it at sign-out', async () => {
    const [plain, caller] = [await controller.newCaller(), await enroll()];
    await signIn(plain);
    await status('Signed in as');
    expect(await field().isVisible()).to.equal(false);
    await press(page.getByRole('button', { name: 'Sign out' }));
    await status('Not signed in');
    await signIn(caller);
    await status('Code of');
    await field().fill('123456');
    await press(page.getByRole('button', { name: 'Sign out' }));
    await status('Not signed in');
    expect(await field().isVisible()).to.equal(false);
    expect(await field().inputValue()).to.equal('');
    const stored = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    expect(stored).not.to.include('123456').and.not.to.include(caller.password);
    expect(watched.troubles).to.deep.equal([]);
  });
});
