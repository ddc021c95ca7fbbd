/**
 * Starts the sandbox alone: `npm run sandbox`, for a wallet or test that needs only a
 * Solana node, or for a gateway in another process. PORT is the node's port, by
 * default 8899 as for a local validator. It prints one line of JSON with all URLs.
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
