import { Keypair } from '@solana/web3.js'
import t from 'tap'
import type { Fault } from '../../../src/sandbox/dials.ts'
import { call, listen } from '../../fixtures/gateway.ts'
import { type Node, startNodes } from '../../fixtures/sandbox.ts'

/** What two of three nodes do wrong while the third is well. */
const FAULTS: readonly [fault: Fault, amounts?: Readonly<Record<string, number>>][] = [
  ['lag', { slots: 20 }],
  ['lag', { slots: 200 }],
  ['wrongCluster'],
  ['unhealthy'],
  ['forget'],
  ['429'],
  ['500'],
  ['401'],
  ['garbage'],
  ['reset'],
  ['hang'],
]

for (const [fault, amounts] of FAULTS) {
  t.test(`a transaction is accepted and lands where two of three nodes ${fault}`, async (t) => {
    const nodes = await startNodes(t, 3)
    const well = nodes[2]!
    const urls = nodes.map(({ url }) => url).join()
    const gateway = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: well.url, SOLANA_SEND_URLS: urls })
    const wallet = await well.funded()
    well.advance(300)
    const bytes = await well.transfer(wallet, Keypair.generate().publicKey, 1_000_000)
    for (const node of nodes.slice(0, 2)) node.turn(fault, amounts)
    const options = { encoding: 'base64', preflightCommitment: 'confirmed' }
    const response = await call(gateway.url, 'sendTransaction', [bytes.toString('base64'), options])
    const { result } = (await response.json()) as { result: string }
    t.type(result, 'string')
    await landing(well, result)
    for (const { received } of nodes) {
      const sent = received
        .map((text) => JSON.parse(text))
        .filter(({ method }) => method === 'sendTransaction')
      for (const { params } of sent)
        t.equal(params[0], bytes.toString('base64'), 'nobody received other bytes')
    }
  })
}

/** The first acceptance may be that of a node that forgets. */
async function landing(node: Node, id: string): Promise<void> {
  for (;;) {
    const { body } = await node.call('getSignatureStatuses', [[id]])
    if (body.result.value[0] !== null) return
  }
}
