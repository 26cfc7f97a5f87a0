/** Controllers that share a database and a master key, each in a process of its own, with its administrator. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { newMasterKey } from '../domain/pki/master-key.js';
import type { Stage } from '../test/support/stage.js';
import { launchController } from './controller-process.js';
import type { RunningController } from './controller-process.js';

export class SharingControllers {
  readonly credentials = { username: 'admin', password: randomBytes(18).toString('base64url') };
  readonly #masterKey = newMasterKey();

  /** @param databaseUrl  of a server that the stage ends */
  constructor(
    private readonly stage: Stage,
    private readonly databaseUrl: string,
  ) {}

  /** Starts one more; the stage ends it. @param name  of the controller, its directory and its log */
  start(name: string): Promise<RunningController> {
    const { place } = this.stage;
    return launchController({
      logFile: join(place, `${name}.log`),
      onChild: (child) => {
        this.stage.adopt(child);
      },
      env: {
        EDGE_NAME: name,
        EDGE_DATA_DIR: join(place, name),
        DATABASE_URL: this.databaseUrl,
        EDGE_MASTER_KEY: this.#masterKey,
        EDGE_ADMIN_USERNAME: this.credentials.username,
        EDGE_ADMIN_PASSWORD: this.credentials.password,
        EDGE_LOG_REQUESTS: 'none',
      },
    });
  }
}
