/**
 * The gateway of a siege: that of the configuration, with every upstream held to
 * what the public one of its kind grants where LIMITED is 1.
 */
import { readConfig } from '../src/config/config.ts'
import { startGateway } from '../src/gateway.ts'
import { loggerTo } from '../src/runtime/log.ts'

const { LIMITED, ...environment } = process.env
const log = loggerTo({ write() {} }, 'info')
await startGateway(readConfig(environment), log, { limitsAsPublic: LIMITED === '1' })
