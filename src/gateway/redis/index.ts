/** Loaded only where REDIS_URL is set, because the Redis client is an optional package. */
export { RedisAnswers } from './answers.ts'
export { loadConnect } from './connection.ts'
export { RedisLimits } from './quotas.ts'
export { Store } from './store.ts'
export { RedisLeases } from './submissions.ts'
export { RedisWindows } from './windows.ts'
