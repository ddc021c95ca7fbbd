/**
 * V8's code cache of the container's program: what it compiled until it had started, so that the next start need not
 * parse and compile it again. V8 takes it only with the version and the flags that it was written with.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Its file, beside the program. */
export const CODE_CACHE = 'swapgate.cache'
/** The variable that makes the program write it when it exits. */
export const WRITE_CODE_CACHE = 'SWAPGATE_WRITE_CODE_CACHE'

/**
 * Starts the program, asks it for something, and stops it.
 * @param {string} folder  of the program
 * @throws Error  where it does not start
 */
export async function writeCodeCache(folder) {
  const program = spawn(process.execPath, [join(folder, 'swapgate.cjs')], {
    env: { PORT: '0', MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1', [WRITE_CODE_CACHE]: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(program, 'exit')
  const [line] = await Promise.race([once(program.stdout, 'data'), exited])
  if (Buffer.isBuffer(line)) {
    const { url } = JSON.parse(String(line).split('\n')[0])
    await (await fetch(`${url}/api/chains`)).arrayBuffer()
    program.kill('SIGTERM')
  }
  const [code] = await exited
  if (code !== 0) throw new Error(`The container's program does not start: it exited with ${code}.`)
}
