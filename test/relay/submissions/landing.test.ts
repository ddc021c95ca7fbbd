/** A wallet that follows the gateway's advice, before a node that drops what it accepts, and a service that asks for a tip. */

import { Keypair, PublicKey, SystemProgram } from '@solana/web3.js'
import t from 'tap'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { StatusPoller } from '../../../src/relay/reads/statuses.ts'
import { parseTransaction } from '../../../src/relay/submissions/submission.ts'
import { Submissions } from '../../../src/relay/submissions/submissions.ts'
import { createUpstreamContext } from '../../../src/upstream/context.ts'
import { LANDING_SERVICES } from '../../../src/upstream/nodes/solana/landing-services.ts'
import { SolanaRpc } from '../../../src/upstream/nodes/solana/rpc.ts'
import { callOf } from '../../fixtures/call.ts'
import { handClock, settle } from '../../fixtures/clock.ts'
import { type Node, SLOT_MS, startNodes } from '../../fixtures/sandbox.ts'

const SOL = 1_000_000_000
const CLIENT = 'a'
const JITO = LANDING_SERVICES[0]!

t.test('what the public node drops is escalated by way of a tip, and lands', async (t) => {
  const [well, lossy] = (await startNodes(t, 2)) as [Node, Node]
  const clock = handClock()
  const rpc = new SolanaRpc({
    readUrls: [well.url],
    sendUrls: [lossy.url],
    // The well node stands for the service.
    submissionServiceUrls: [`${well.url}/service`],
    landingServices: [{ ...JITO, host: /./, quota: null }],
    context: createUpstreamContext({ clock }),
  })
  const statuses = new StatusPoller({ rpc, clock })
  const submissions = new Submissions({ rpc, statuses, maxRetries: 5, funnel: null, leases: null, clock })
  t.teardown(async () => {
    submissions.close()
    statuses.close()
    await rpc.close()
  })
  const wallet = await well.funded()
  const tipAccount = new PublicKey(JITO.tipAccounts[0]!)
  // So that it is rent-exempt, as the real one.
  await well.connection.requestAirdrop(tipAccount, SOL)
  well.advance(40)
  lossy.turn('drop', { share: 100 })

  const pay = (to: PublicKey, lamports: number) =>
    SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: to, lamports })
  const submit = async (...tips: readonly ReturnType<typeof pay>[]) => {
    const bytes = await well.signed(wallet, pay(Keypair.generate().publicKey, SOL), ...tips)
    const transaction = parseTransaction(bytes.toString('base64'), { encoding: 'base64' })
    const now = clock.now()
    const arrival = { startedAt: now - 1, parsedAt: now, verifiedAt: now }
    const terms = { call: callOf(15_000, new CancellationScope(CLIENT), 'build', clock), arrival }
    t.match(await submissions.submit(transaction, null, terms), { error: null }, 'the node accepts it')
    for (let slots = 0; slots < 11; slots++) {
      await settle()
      well.advance(1)
      clock.advance(SLOT_MS)
    }
    await settle()
    return submissions.receipts.find(transaction.wire.signature(0))!
  }
  const advised = () => submissions.pending.tips.advise(CLIENT)!

  t.match(await submit(), {
    landed: null,
    upstreams: [
      { outcome: 'accepted', sends: 3 },
      { name: 'solana-landing-1', outcome: 'untipped', sends: 0 },
    ],
  })
  const { service, lamports, basis } = advised()
  t.same([service?.name, lamports, basis], ['Jito', 1_000n, 'own'], 'the cheapest that is above')
  t.match(await submit(pay(tipAccount, Number(lamports))), {
    landed: { slot: Number },
    upstreams: [
      { outcome: 'accepted', sends: 1 },
      { name: 'solana-landing-1', outcome: 'accepted', sends: 1 },
    ],
  })
  t.same(advised().lamports, 1_000n)
})
