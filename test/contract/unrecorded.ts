/**
 * Operations of the management API that are no reads and leave no audit record in the contract suite, each with its
 * reason. The suite fails when a line is no longer needed.
 */
export const unrecorded: Readonly<Record<string, string>> = {
  checkDataIntegrity: 'reads the database; what it finds is kept apart',
  redeliverWebhook: 'changes nothing here, where no delivery has failed; test/api/webhooks.test.ts has its record',
};
