/** Why a chain proves nothing; the text is for logs and administrators, not for the client. */
export class ChainFault extends Error {}
