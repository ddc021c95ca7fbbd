/** Cross-chain swaps from Solana to every chain, proved and then executed at the sandbox's node. */
import t from 'tap'
import { CHAINS } from '../../../src/chains/chains.ts'
import { decodeBase58 } from '../../../src/chains/solana/base58.ts'
import { TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { proveCrossChain } from '../../../src/proof/cross-chain/cross-chain.ts'
import { requireAgreed } from '../../../src/proof/simulation/simulation.ts'
import { simulateSolana } from '../../../src/proof/simulation/solana.ts'
import { verified } from '../../../src/proof/terms/verification.ts'
import { tokenAddress } from '../../../src/sandbox/solana/ledger/instructions.ts'
import { startSolanaSandbox } from '../../../src/sandbox/solana/server.ts'
import { xprov } from '../../../src/sandbox/swap/xprov.ts'
import { NOW, OPTIONS, startProvider } from '../../fixtures/provider.ts'
import { clientOf, crossChain, WALLETS } from '../../fixtures/xprov.ts'

const { evm, solana } = WALLETS
const SOL = 1_000_000_000n
/** Neither of the bridges that are read goes there. */
const UNSERVED = ['scroll']

const key = (address: string): Uint8Array => decodeBase58(address, 32)!

t.test('a funded wallet crosses to every EVM chain at the default level', async (t) => {
  const node = await startSolanaSandbox({ now: () => NOW })
  t.teardown(() => node.close())
  const { url, market } = await startProvider(t, ({ market }) =>
    xprov({ market, now: () => NOW, solana: node }),
  )
  const client = clientOf(t, url)
  const usdc = market.tokens('solana').find(({ symbol }) => symbol === 'USDC')!.address
  node.bank.vm.endow(key(solana), 10n * SOL)
  const data = Buffer.alloc(165)
  data.set(key(usdc), 0)
  data.set(key(solana), 32)
  data.writeBigUInt64LE(SOL, 64)
  data[108] = 1
  const held = { lamports: 2_039_280n, data, owner: key(TOKEN_PROGRAM) }
  node.bank.vm.place(key(tokenAddress(solana, usdc)), held)
  const ask = async (method: string, params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = (await (await fetch(node.url, { method: 'POST', headers, body })).json()) as object
    return JSON.stringify((answer as { result: unknown }).result)
  }
  const bridges = new Set<unknown>()
  for (const { key: to, family, xprovChainId } of CHAINS) {
    if (family !== 'evm' || xprovChainId === null) continue
    for (const [symbol, amount] of [
      [null, SOL],
      ['USDC', 250_000_000n],
    ] as const) {
      const order = crossChain(market, ['solana', symbol, solana], [to, null, evm], amount)
      const { value } = await client.quote(order, OPTIONS)
      const { solanaTransaction, proof: verification } = proveCrossChain(value, order, NOW)
      if (UNSERVED.includes(to)) {
        t.equal(verified(verification, null).level, 'stated', to)
        continue
      }
      t.same(verification.stated, [], to)
      const simulation = await simulateSolana(solanaTransaction!, solana, ask)
      if ('failed' in simulation) throw new Error(`${to}: it fails`)
      requireAgreed(simulation, verification.agreed!)
      const { by, at, changes } = simulation
      const spent = changes.find(({ token }) => token === (symbol === null ? null : usdc))!.amount
      t.ok(
        symbol === null ? spent < -amount && spent > -amount - 10_000_000n : spent === -amount,
        `${to} ${spent}`,
      )
      t.equal(verified(verification, { by, at, changes: [] }).level, 'simulated', to)
      bridges.add(String(verification.bridges))
    }
  }
  t.same(bridges, new Set(['mayan', 'debridge']))
})
