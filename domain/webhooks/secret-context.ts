/** What the secret of a webhook is sealed for: moved to another row, it does not open. */
export const webhookContext = (id: string): string => `webhook:${id}`;
