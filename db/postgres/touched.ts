/**
 * Notes what a commit may change of what controllers keep in memory. Each change says that epochs may have moved, and
 * stores note what needs an id. The commit hands it over before whoever made the change goes on: the next request of
 * this controller sees it. Other controllers hear the same from triggers, by NOTIFY.
 */

export type Touched =
  /** Any epoch may have moved: triggers alone know which. */
  | 'epochs'
  /** Any API session may have ended, or owe something else. */
  | 'apiSessions'
  /** A record of the audit was left, and nothing else that is kept in memory. */
  | 'auditRecords'
  /** It is not known whether the commit happened: its connection broke. */
  | 'anything'
  /** Its API sessions ended or changed, or what they show of it. */
  | { readonly identity: string }
  /** This one ended. */
  | { readonly apiSession: string }
  /** The token with this id is revoked. */
  | { readonly token: string }
  /** Posture data of this API session. */
  | { readonly postureOf: string };

/** @param requestId  of the request that made the change; undefined: the controller made it by itself */
export type OnCommit = (touched: readonly Touched[], requestId: string | undefined) => void;

/** Notes of what one transaction touches, until it is committed. */
export class TransactionNotes {
  readonly #noted: Touched[] = [];
  #hasWritten = false;
  #hasWrittenAside = false;

  readonly touched = (touched: Touched): void => {
    this.#noted.push(touched);
  };

  wrote(isAside: boolean): void {
    if (isAside) this.#hasWrittenAside = true;
    else this.#hasWritten = true;
  }

  /** Everything that was touched. Epochs may have moved when nothing is known, or a change is not `aside`. */
  get all(): readonly Touched[] {
    return this.#hasWrittenAside && !this.#hasWritten ? this.#noted : ['epochs', ...this.#noted];
  }

  /** The same of a transaction whose commit waits for no standby: it moves epochs only where it notes so. */
  get noted(): readonly Touched[] {
    return this.#noted;
  }
}
