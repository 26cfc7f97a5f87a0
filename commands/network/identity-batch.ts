/**
 * Identities that are made in one transaction, some hundreds with one statement. One statement each would take time
 * with the square of their number: each leaves a version of the row that counts them, which the next passes over.
 */
import type { NewIdentity } from '../../db/stores/identity-creation.js';
import type { JsonObject } from '../../domain/model.js';
import type * as Request from '../../generated/management/request.js';
import { enrollmentsFrom } from '../../handlers/enrollment/identity-enrollments.js';
import { identityFrom } from '../../handlers/forms/identity-draft.js';
import type { Context } from '../../handlers/context.js';
import { checkBody } from './in-process.js';
import { managementOperation } from './operations.js';

const MOST = 500;

export class IdentityBatch {
  #waiting: NewIdentity[] = [];

  constructor(private readonly context: Pick<Context, 'stores' | 'enrollments' | 'newId'>) {}

  /**
   * Makes the identity with the next flush, or at once when many wait.
   * @returns its id; undefined for one that hosts services or enrolls with a CA: the operation of the API makes it
   * @throws DomainError for the body; of any that wait
   */
  async add(json: JsonObject): Promise<string | undefined> {
    checkBody(managementOperation('createIdentity'), json);
    const body = json as unknown as Request.IdentityCreate;
    const { hostings, ...ordinary } = identityFrom(body);
    const ofCa = body.enrollment?.ottca ?? '';
    if (hostings.length > 0 || ofCa !== '') {
      await this.flush();
      return undefined;
    }
    const id = this.context.newId();
    const enrollments = await enrollmentsFrom(id, body.enrollment, this.context);
    this.#waiting.push({ id, draft: ordinary, enrollments });
    if (this.#waiting.length >= MOST) await this.flush();
    return id;
  }

  /** @throws DomainError of any of them */
  async flush(): Promise<void> {
    const items = this.#waiting;
    this.#waiting = [];
    if (items.length > 0) await this.context.stores.identities.createMany(items);
  }
}
