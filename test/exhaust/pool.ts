/** Tries blocks in several processes. Which process gets a block changes nothing about its result. */

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Block, Result } from './block.ts'

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))

/**
 * @param seen  is called for each block when it has been tried
 * @returns the results in the order of the blocks; those after a disagreement may be missing
 */
export async function tryBlocks(
  blocks: readonly Block[],
  processes: number,
  seen: (result: Result, i: number) => void,
): Promise<readonly Result[]> {
  const results: Result[] = []
  let next = 0
  const workers = Array.from({ length: Math.min(processes, blocks.length) }, () => fork(WORKER))
  try {
    await Promise.all(
      workers.map(async (worker) => {
        while (next < blocks.length) {
          const i = next++
          const result = await ask(worker, blocks[i]!)
          results[i] = result
          seen(result, i)
          if (result.disagreement !== null) next = blocks.length
        }
      }),
    )
  } finally {
    for (const worker of workers) worker.disconnect()
  }
  return results
}

function ask(worker: ChildProcess, block: Block): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a process ended with ${code}`))
    worker.once('exit', onExit)
    worker.once('message', (result) => {
      worker.off('exit', onExit)
      resolve(result as Result)
    })
    worker.send(block)
  })
}
