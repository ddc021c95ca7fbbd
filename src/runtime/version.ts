/** The version of the program. */
export const VERSION = '0.1.0-beta.1'
/** The version of the interface (§9), as the OpenAPI document states it. */
export const INTERFACE_VERSION = '0.1.0-beta'
