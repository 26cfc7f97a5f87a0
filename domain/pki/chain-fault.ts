/**
 * Why a chain proves nothing. The text is for logs and administrators, not for the client; it quotes no name of a
 * certificate.
 */
export class ChainFault extends Error {}
