/** The version of the interface (§9) and of the service. */
export const VERSION = '0.1.0-beta'
