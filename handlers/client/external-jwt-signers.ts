/** External JWT signers as everybody sees them, before a login. */
import { listOf } from '../handler.js';
import type { Handler } from '../handler.js';
import { toPublicSigner } from '../forms/external-jwt-signer-model.js';

/** GET /external-jwt-signers: the enabled ones. */
export const listExternalJwtSigners: Handler<'client', 'listExternalJwtSigners'> = async ({ query }, { stores }) =>
  listOf(await stores.externalJwtSigners.list({ ...query, isForClient: true }), toPublicSigner);
