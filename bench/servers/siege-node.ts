import { startSiegeNode } from '../load/siege-node.ts'

/** The Solana node of a siege; `LIMITED=1` enforces the limits of the public one. */
export async function start(): Promise<null> {
  await startSiegeNode({ isLimited: process.env.LIMITED === '1', port: Number(process.env.PORT) })
  return null
}
