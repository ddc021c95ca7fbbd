/**
 * The one class of undici that is used, by its own file: the package's main
 * file also loads fetch, WebSocket, caches and interceptors, which nothing here
 * uses.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
