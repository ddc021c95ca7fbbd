/** prom-client's default metrics, each by its own file: collectDefaultMetrics has no way to leave one out. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client'

  const register: (registry: Registry) => void
  export default register
}
