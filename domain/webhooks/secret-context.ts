/** Context that seals the secret of a webhook: moved to another row, the secret does not open. */
export const webhookContext = (id: string): string => `webhook:${id}`;
