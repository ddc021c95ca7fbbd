/** What stock clients do with what the gateway and its sandbox answer: each takes its own happy path. */
import t from 'tap'
import { installed, prepare, run, startWorld } from './world.ts'

/** What each program tells. The versions are in test/long/packages/clients. */
const TOLD: Readonly<Record<string, unknown>> = {
  ethers: { isApproved: true, approval: 1, swap: 1, isInBlock: true },
  wagmi: { approval: 'success', swap: 'success', isInBlock: true },
  'wagmi-example': { declined: 'declined', status: 'success', paid: 1, changes: [] },
  web3: { approval: '1', swap: '1' },
  sui: { isSender: true, hasCommands: true, isUnchanged: true, isSigner: true },
  ton: { isFrom: true, messages: 1, isSent: true },
  tonconnect: {
    buy: /Wallet is not connected/i,
    sell: /Wallet is not connected/i,
    wrong: /validation failed/,
  },
  lifi: { quoted: 8_453, routed: 42_161, hasBase: true, tools: true },
}

t.setTimeout(1_200_000)

const folder = installed('clients')
const world = startWorld(t)

t.test('each takes its own happy path', async (t) => {
  t.setTimeout(1_200_000)
  prepare(folder)
  // They wait for blocks more than they work.
  t.jobs = 3
  for (const [name, expected] of Object.entries(TOLD))
    void t.test(name, { buffered: true, timeout: 300_000 }, async (t) => {
      t.match(await run(name, folder, await world), expected)
    })
})
