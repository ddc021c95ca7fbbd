/**
 * The simulated outside world: everything that the gateway would otherwise ask
 * of real providers, on loopback, speaking their wire formats. A provider's
 * server is added here.
 *
 * Source: design.md "One world in every mode"
 */

import { type SolanaSandboxOptions, startSolanaSandbox } from './solana/server.ts'

export interface Sandbox {
  /** A Solana node's JSON-RPC endpoint; its faucet is `requestAirdrop`. */
  readonly solanaUrl: string
  close(): Promise<void>
}

/** @throws Error  when the optional packages are not installed */
export async function startSandbox(options: SolanaSandboxOptions = {}): Promise<Sandbox> {
  const solana = await startSolanaSandbox(options)
  return { solanaUrl: solana.url, close: () => solana.close() }
}
