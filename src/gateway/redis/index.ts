/** Loaded only if REDIS_URL is set: a start without it doesn't pay for @redis/client. */
export { connect } from './connection.ts'
export { shareDeliveries } from './deliveries.ts'
export { RedisInstances } from './instances.ts'
export { RedisLimits } from './quotas.ts'
export { Store } from './store.ts'
export { RedisLeases } from './submissions.ts'
export { RedisWindows } from './windows.ts'
