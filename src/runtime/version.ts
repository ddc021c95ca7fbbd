/** The interface's version (§9), and the service's. */
export const VERSION = '0.1.0-beta'
