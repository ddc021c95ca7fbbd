/** A process of a run: see pool.ts. It ends when the run disconnects. */
import { type Block, tryBlock } from './block.ts'

process.on('message', (block) => process.send!(tryBlock(block as Block)))
