/** The authority of a network changes while two controllers run, routers listen, and clients log in. */
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { certificatesOf } from '../../domain/pki/pem.js';
import { AuthorityScene, printOf, shownChain } from '../support/authority-scene.js';
import type { At, Certified } from '../support/authority-scene.js';
import { expectStatus } from '../support/client.js';
import { itemsOf } from '../support/entities.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';

/** Both controllers use what is new long before. */
const CHANGED_MS = 60_000;
/** Routers know a key at least so long before it is used. */
const BEFORE_MS = 5_000;

const printsIn = (pem: string): string[] => certificatesOf(pem).map((der) => printOf(new X509Certificate(der)));

describe('a change of the authority', function changes() {
  this.timeout(180_000);
  const scene = new AuthorityScene();
  before(() => scene.setUp());
  after(() => scene.tearDown());

  const newest = async (purpose: string): Promise<string> => {
    const { rows } = await scene.database.query(
      'SELECT fingerprint FROM pki_entities WHERE purpose = $1 ORDER BY generation DESC LIMIT 1',
      [purpose],
    );
    return String(rows[0]?.['fingerprint']);
  };
  const all = async (check: (at: At) => Promise<boolean>) =>
    (await Promise.all(scene.controllers.map(check))).every(Boolean);
  /** When each controller was first seen to use what `probe` asks about; routers are looked at meanwhile. */
  const firstUses = async (what: string, probe: (at: At) => Promise<boolean>): Promise<Map<At, number>> => {
    const first = new Map<At, number>();
    await until(
      what,
      () =>
        all(async (at) => {
          scene.controllers.forEach(({ keys }) => keys.look());
          if (!first.has(at) && (await probe(at))) first.set(at, Date.now());
          return first.has(at);
        }),
      CHANGED_MS,
    );
    return first;
  };
  const expectToldBefore = (kid: string, uses: ReadonlyMap<At, number>) => {
    for (const { keys } of scene.controllers)
      for (const at of uses.values()) expect(at - (keys.heardAt(kid) ?? Infinity)).to.be.greaterThan(BEFORE_MS);
  };
  const routersHave = (...kids: string[]) =>
    until('routers have the keys', () => scene.controllers.every(({ keys }) => kids.every((kid) => keys.has(kid))));

  it('to a new intermediate: told before it is used, at both controllers, and no login fails', async () => {
    const [first, second] = scene.controllers as [At, At];
    const old = await newest('intermediate');
    await routersHave(old);
    const whoever = [await scene.enrolled(first)];
    const logins = scene.steadyLogins(whoever);
    const { code, stderr } = await scene.command('renew', 'intermediate');
    expect([code, stderr.includes('Error')]).to.deep.equal([0, false]);
    const next = await newest('intermediate');
    expect(next).not.to.equal(old);
    expectToldBefore(next, await firstUses('it signs', async ({ url }) => (await shownChain(url))[1] === next));
    const server = await newest('server');
    expectToldBefore(server, await firstUses('JWTs have its name', async (at) => (await scene.kid(at)) === server));
    for (const at of [first, second]) {
      const fresh = await scene.enrolled(at);
      expect(printsIn(fresh.cert)[1]).to.equal(next);
      expect(printsIn(fresh.ca)).to.include.members([old, next]);
      whoever.push(fresh);
    }
    for (const certified of whoever)
      for (const at of [first, second]) expect(await scene.login(at, certified)).to.equal(200);
    await routersHave(old, next, server);
    const { failed, logins: count } = await logins.stop();
    expect(failed).to.deep.equal([]);
    expect(count).to.be.greaterThan(20);
  });

  describe('to a new root', () => {
    let [away, old]: Certified[] = [];
    let [oldRoot, oldIntermediate, root]: string[] = [];
    const rootPem = async () => {
      const { rows } = await scene.database.query(
        "SELECT cert_pem FROM pki_entities WHERE purpose = 'root' ORDER BY generation DESC LIMIT 1",
      );
      return String(rows[0]?.['cert_pem']);
    };
    before(async () => {
      const [first] = scene.controllers as [At];
      [away, old] = [await scene.enrolled(first), await scene.enrolled(first)];
      [oldRoot, oldIntermediate] = [await newest('root'), await newest('intermediate')];
    });

    it('has nothing to end before', async () => {
      const { code, stderr } = await scene.command('retire', 'root');
      expect(code).to.equal(1);
      expect(stderr).to.include('There is one root only');
    });

    it('is told before it is used; who knows one of the two trusts the controllers, and no login fails', async () => {
      const whoever = [old as Certified];
      const logins = scene.steadyLogins(whoever);
      expect((await scene.command('renew', 'root')).code).to.equal(0);
      root = await newest('root');
      const intermediate = await newest('intermediate');
      expect([root === oldRoot, intermediate === oldIntermediate]).to.deep.equal([false, false]);
      const uses = await firstUses('it signs', async ({ url }) => (await shownChain(url))[1] === intermediate);
      for (const kid of [root, intermediate]) expectToldBefore(kid, uses);
      for (const at of scene.controllers) {
        for (const ca of [old?.ca ?? '', await rootPem()])
          expect((await shownChain(at.url, ca)).slice(0, 2)).to.deep.equal([await newest('server'), intermediate]);
        const fresh = await scene.enrolled(at);
        expect(printsIn(fresh.cert)).to.have.length(3);
        expect(printsIn(fresh.ca)).to.include.members([oldRoot, root, oldIntermediate, intermediate]);
        whoever.push(fresh);
      }
      for (const certified of whoever)
        for (const at of scene.controllers) expect(await scene.login(at, certified)).to.equal(200);
      await routersHave(oldRoot ?? '', root, intermediate);
      expect((await logins.stop()).failed).to.deep.equal([]);
    });

    it('ends the overlap only by force while certificates of before let somebody in', async () => {
      const { code, stderr } = await scene.command('retire', 'root');
      expect(code).to.equal(1);
      expect(stderr).to.match(
        /\d+ certificates of identities, routers or API sessions are still below an earlier root/,
      );
      for (const at of scene.controllers) expect(await scene.login(at, old as Certified)).to.equal(200);
    });

    it('after the overlap counts alone; who was away enrolls again', async () => {
      const [first, second] = scene.controllers as [At, At];
      const fresh = await scene.enrolled(first);
      const { code, stdout } = await scene.command('retire', 'root', '--force');
      expect(code).to.equal(0);
      expect(stdout).to.match(/refused from now on {2}\d+ certificates/);
      await until('routers have forgotten the old root', () =>
        scene.controllers.every(({ keys }) => [oldRoot, oldIntermediate].every((kid) => !keys.has(kid ?? ''))),
      );
      await until('controllers show the new chain alone', () =>
        all(async ({ url }) =>
          shownChain(url, away?.ca).then(
            () => false,
            () => true,
          ),
        ),
      );
      for (const at of [first, second]) {
        await shownChain(at.url, await rootPem());
        expect(await scene.login(at, old as Certified)).to.be.oneOf([401, 403]);
        expect(await scene.login(at, fresh)).to.equal(200);
      }
      const { id } = away as Certified;
      const [authenticator] = itemsOf(
        expectStatus(await first.admin.get(`${MANAGEMENT}/identities/${id}/authenticators`), 200),
      );
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const path = `${MANAGEMENT}/authenticators/${String(authenticator?.['id'])}/re-enroll`;
      expectStatus(await first.admin.post(path, { expiresAt }), 201);
      const again = await scene.enrolls(second, id);
      expect(printsIn(again.ca)).to.include(root).and.not.include(oldRoot);
      expect(printsIn(again.cert)).to.have.length(2);
      expect(await scene.login(first, again)).to.equal(200);
    });
  });
});
