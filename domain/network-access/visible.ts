/** Links of the chain that a reader may see. What is not seen stops nothing, and makes what is left `unknown`. */

export interface Visible {
  /** Whether the identity is disabled. */
  readonly identity: boolean;
  readonly posture: boolean;
  readonly routers: boolean;
  readonly terminators: boolean;
  readonly path: boolean;
}

export const MASKS = 32;

/** A number for each combination. */
export const maskOf = ({ identity, posture, routers, terminators, path }: Visible): number =>
  Number(posture) + 2 * Number(routers) + 4 * Number(terminators) + 8 * Number(path) + 16 * Number(identity);
