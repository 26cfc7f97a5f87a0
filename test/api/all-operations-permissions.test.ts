/**
 * The net over all operations that are for administrators: whom permissions let in besides. Which permissions each
 * takes is compared with a table apart from the specs; the rest comes from the specs alone.
 */
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { OperationSpec } from '../../generated/operation.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import type { Caller } from '../support/controller.js';
import { contentsOf } from '../support/contents.js';
import { OperationCallers, send } from '../support/operation-callers.js';
import { all, faultsOf, isPending, refusal, show, undeclared } from '../support/operations.js';
import { grantedBy, grantedByInFabric, values } from '../cases/permissions.js';

describe('all operations for administrators', function allOperations() {
  this.timeout(120_000);
  let callers: OperationCallers;
  before(async () => {
    callers = await OperationCallers.open();
  });
  after(() => callers.close());

  it('are for administrators and for the permissions that the table of permissions has, and no others', () => {
    for (const [api, granted] of [
      ['management', grantedBy],
      ['fabric', grantedByInFabric],
    ] as const) {
      const forOthers = Object.values(operations[api]).filter(({ permission }) => permission === 'admin');
      const found = new Map(forOthers.map((operation) => [operation.operationId, [...operation.grantedBy].sort()]));
      expect(Object.fromEntries(found)).to.deep.equal(
        Object.fromEntries([...granted].map(([id, permissions]) => [id, [...permissions].sort()])),
      );
    }
    for (const operation of Object.values(operations.client)) expect(operation.grantedBy).to.deep.equal([]);
  });

  describe('with permissions', () => {
    const guarded: readonly OperationSpec[] = all.filter(({ permission }) => permission === 'admin');
    const permissionsFor = ({ api, operationId }: OperationSpec) =>
      ({ client: undefined, fabric: grantedByInFabric, management: grantedBy, oidc: undefined })[api]?.get(
        operationId,
      ) ?? [];
    /** Operations that take the same permissions, so that one change of the caller serves them all. */
    const groups = new Map<string, OperationSpec[]>();
    for (const operation of guarded) {
      const key = permissionsFor(operation).join(' ');
      groups.set(key, [...(groups.get(key) ?? []), operation]);
    }
    let limited: Caller;

    before(async () => {
      limited = await callers.controller.newCaller();
    });
    const give = async (permissions: readonly string[]) => {
      const path = `${basePaths.management}/identities/${limited.id}`;
      expectStatus(await callers.controller.admin.patch(path, { permissions }), 200);
    };

    it('can be given each value and no other, as the refusal says', async () => {
      await give(values);
      const path = `${basePaths.management}/identities/${limited.id}`;
      const answer = expectStatus(await callers.controller.admin.patch(path, { permissions: ['admin'] }), 400);
      expect(answer.error?.cause).to.deep.include({
        field: 'permissions.0',
        reason: `permissions.0 in body should be one of [${values.join(' ')}]`,
        value: 'admin',
      });
    });

    it('let through whoever has one that is asked, from the next request on', async () => {
      const faults: string[] = [];
      for (const operations of groups.values()) {
        const [first] = operations;
        for (const permission of first === undefined ? [] : permissionsFor(first)) {
          await give([permission]);
          faults.push(
            ...(await faultsOf(operations, async (operation) => {
              const answer = await send(limited.client, operation);
              const isRefused =
                refusal(operation, answer, undefined) === undefined && answer.error?.cause === undefined;
              if (isRefused || (answer.status >= 500 && !isPending(operation)))
                return `with ${permission}: ${show(answer)}`;
              return undeclared(operation, answer);
            })),
          );
        }
      }
      expect(faults).to.deep.equal([]);
    });

    it('refuse whoever has all others, and change nothing', async () => {
      // A caller for each group, so that the database is compared once for all.
      const attempts: { operations: readonly OperationSpec[]; client: Client }[] = [];
      for (const operations of groups.values()) {
        const [first] = operations;
        const permissions = values.filter((value) => first !== undefined && !permissionsFor(first).includes(value));
        attempts.push({ operations, client: (await callers.controller.newCaller({ permissions })).client });
      }
      const before = await contentsOf(callers.controller.database);
      const faults: string[] = [];
      for (const { operations, client } of attempts) {
        faults.push(
          ...(await faultsOf(operations, async (operation) => {
            const answer = await callers.attempt(client, operation);
            return (
              refusal(operation, answer, undefined) ??
              (answer.error?.cause === undefined ? undefined : `a cause: ${show(answer)}`)
            );
          })),
        );
      }
      expect(await contentsOf(callers.controller.database)).to.deep.equal(before);
      expect(faults).to.deep.equal([]);
    });
  });
});
