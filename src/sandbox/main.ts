/**
 * Starts the sandbox alone, for a wallet or a test that wants a Solana node and
 * no gateway, or for a gateway in another process: `npm run sandbox`. PORT
 * chooses the node's port, 8899 by default as a local validator has it. Its one
 * line says where everything listens, as JSON.
 */

import { startSandbox } from './index.ts'

const DEFAULT_PORT = '8899'

async function main(): Promise<void> {
  const text = process.env.PORT ?? DEFAULT_PORT
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error('PORT must be a whole number from 0 to 65535.')
  const sandbox = await startSandbox({ port })
  process.stdout.write(`${JSON.stringify({ ...sandbox, dials: undefined })}\n`)
  const stop = () => sandbox.close()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

main().catch((error: Error) => {
  process.stderr.write(`sandbox: ${error.message}\n`)
  process.exitCode = 1
})
