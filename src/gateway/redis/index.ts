/** Loaded where REDIS_URL is set only, and with it the client of Redis, which is an optional package. */
export { RedisAnswers } from './answers.ts'
export { loadConnect } from './connection.ts'
export { RedisLimits } from './quotas.ts'
export { Store } from './store.ts'
export { RedisLeases } from './submissions.ts'
export { RedisWindows } from './windows.ts'
