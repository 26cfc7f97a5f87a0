/**
 * In the RETURNING of a change of one statement, which then goes through `run`: its commit waits for no synchronous
 * standby, as that of a transaction which `isExpendable`. It holds until the commit, and costs nothing.
 */
export const EXPENDABLE = "set_config('synchronous_commit', 'local', true)";
