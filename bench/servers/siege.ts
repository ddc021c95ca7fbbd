import { readConfig } from '../../src/config/config.ts'
import { startGateway } from '../../src/gateway.ts'
import { loggerTo } from '../../src/runtime/log.ts'

/**
 * The gateway of a siege, configured by the environment; its log is discarded. `LIMITED=1`
 * holds every upstream to the limits of the public one of its kind.
 */
export async function start(): Promise<null> {
  const { LIMITED, ...environment } = process.env
  const log = loggerTo({ write() {} }, 'info')
  await startGateway(readConfig({ SANDBOX_PROVIDERS: 'ideal', ...environment }), log, {
    limitsAsPublic: LIMITED === '1',
  })
  return null
}
