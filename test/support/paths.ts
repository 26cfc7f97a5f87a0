/** Where the APIs are. Written out here, not taken from the specs: that they move must be seen. */
export const MANAGEMENT = '/edge/management/v1';
export const CLIENT = '/edge/client/v1';
export const FABRIC = '/fabric/v1';
