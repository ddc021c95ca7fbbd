/**
 * Loaded only if REDIS_URL is set, because @redis/client is an optional package: this folder imports it by
 * name, and fails to load without it.
 */
export { connect } from './connection.ts'
export { RedisInstances } from './instances.ts'
export { RedisLimits } from './quotas.ts'
export { Store } from './store.ts'
export { RedisLeases } from './submissions.ts'
export { RedisWindows } from './windows.ts'
