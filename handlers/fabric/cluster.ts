/** The controllers, as tools of clustered ones ask for them. Ours share a database, and none of them leads. */
import { DomainError } from '../../domain/errors.js';
import type { Controller } from '../../domain/model.js';
import type * as Response from '../../generated/fabric-api/response.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';

const toMember = (version: string) =>
  function member({ id, ctrlAddress, isOnline }: Controller): Response.ClusterMemberListValue {
    return {
      address: ctrlAddress ?? '',
      connected: isOnline,
      id,
      leader: false,
      readOnly: false,
      version,
      voter: true,
    };
  };

/** GET /cluster/list-members: the controllers of `/controllers`. */
export const clusterListMembers: Handler<'fabric', 'clusterListMembers'> = async (_input, { stores, version }) => {
  const { items } = await stores.controllers.list({ limit: 500 });
  return ok(items.map(toMember(version.version)));
};

const refuse = (): Promise<never> => Promise.reject(new DomainError('notClustered'));

/** POST /cluster/add-member. Fails: `notClustered`, always, as the two others. */
export const clusterMemberAdd: Handler<'fabric', 'clusterMemberAdd'> = refuse;

/** POST /cluster/remove-member. */
export const clusterMemberRemove: Handler<'fabric', 'clusterMemberRemove'> = refuse;

/** POST /cluster/transfer-leadership. */
export const clusterTransferLeadership: Handler<'fabric', 'clusterTransferLeadership'> = refuse;
