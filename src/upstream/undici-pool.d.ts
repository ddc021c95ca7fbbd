/**
 * The one class of undici that is used, by its own file: the package's main
 * file also loads fetch, WebSocket, caches and interceptors, which cost 9 MB of
 * memory and a third of the start-up time.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
