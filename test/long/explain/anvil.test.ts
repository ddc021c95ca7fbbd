/**
 * What the generator's interpreter says of balances and allowances is what a real EVM does with the same calls: of the
 * coin, of tokens and the wrapper (Uniswap's own builds), and of Multicall3. No build of Safe, MultiSend and Permit2
 * ships with the packages that are here, and their wrapper takes no coins without a call: there, only the interpreter
 * judges.
 */

import t from 'tap'
import { encodeAbiParameters, type Hex, keccak256, numberToHex, pad, parseAbi } from 'viem'
import { MULTICALL3 } from '../../../src/chains/contracts.ts'
import { explain } from '../../../src/explain/explain.ts'
import { type AnvilClient, artifact, deploy, startAnvil, withoutAnvil } from '../../fixtures/anvil.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { drawCalls } from '../../fixtures/explain-evm/draws.ts'
import { Judge } from '../../fixtures/explain-evm/judge.ts'
import { SEED } from '../../fixtures/fast-check.ts'
import { deployMulticall3 } from '../../fixtures/multicall3.ts'

const DRAWS = 300
const PLENTY = 2n ** 90n
const TOKEN = parseAbi([
  'function balanceOf(address who) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])
/** Where each keeps balances and allowances. */
const SLOTS = { token: [1n, 2n], wrapper: [3n, 4n] } as const

const slotOf = (key: Hex, slot: bigint | Hex): Hex =>
  keccak256(
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes32' }],
      [key, pad(typeof slot === 'bigint' ? numberToHex(slot) : slot)],
    ),
  )

t.test('balances and allowances after what is drawn', { skip: withoutAnvil }, async (t) => {
  const { client } = await startAnvil(t, 1)
  await deployMulticall3(client)
  const codeOf = async (name: string, args: readonly unknown[]) =>
    (await client.getCode({ address: (await deploy(client, artifact(name), args)).address }))!
  const code = {
    token: await codeOf('@uniswap/v2-periphery/build/ERC20', [PLENTY]),
    wrapper: await codeOf('@uniswap/v2-periphery/build/WETH9', []),
  }
  const set = (address: Hex, slot: Hex, value: bigint) =>
    client.setStorageAt({ address, index: slot, value: numberToHex(value, { size: 32 }) })
  let executed = 0
  const seen = { harmful: 0, honest: 0, reverted: 0 }
  for (let i = 0; executed < DRAWS; i++) {
    const { world, request, calls, people, tokens } = drawCalls(new Random(SEED, i))
    const owner = world.owner as Hex
    const wrapper = world.chain.wrappedNative.toLowerCase() as Hex
    const assets = [...new Set([...tokens, wrapper])]
    const id = await client.snapshot()
    await client.setBalance({ address: owner, value: PLENTY })
    await client.setBalance({ address: wrapper, value: PLENTY })
    for (const asset of assets) {
      const kind = asset === wrapper ? 'wrapper' : 'token'
      const [balances, allowances] = SLOTS[kind]
      await client.setCode({ address: asset, bytecode: code[kind] })
      await set(asset, slotOf(owner, balances), PLENTY)
      for (const spender of [owner, MULTICALL3 as Hex])
        await set(asset, slotOf(spender, slotOf(owner, allowances)), PLENTY)
    }
    const before = await holdings(client, assets, people)
    await client.impersonateAccount({ address: owner })
    let gas = 0n
    let isReverted = false
    for (const call of calls) {
      const hash = await client.sendTransaction({ ...call, account: owner, chain: null, gas: 1_000_000n })
      const receipt = await client.waitForTransactionReceipt({ hash })
      gas += receipt.gasUsed * receipt.effectiveGasPrice
      isReverted ||= receipt.status !== 'success'
    }
    const after = await holdings(client, assets, people)
    const judge = new Judge(world)
    const harms = judge.judge(request)
    executed++
    if (isReverted) seen.reverted++
    else {
      for (const [key, held] of after) {
        const paidGas = key === `native|${owner}` ? gas : 0n
        t.equal(judge.gains.get(key) ?? 0n, held - before.get(key)! + paidGas, `${i}: ${key}`)
      }
      for (const asset of assets)
        for (const spender of people) {
          if (spender === owner) continue
          const args = [owner, spender] as const
          const allowed = await client.readContract({
            address: asset,
            abi: TOKEN,
            functionName: 'allowance',
            args,
          })
          const isGranted = [...judge.grants].some(
            ([what, who]) => who === spender && what.startsWith(`take ${asset} of ${owner}`),
          )
          t.equal(isGranted, allowed > 0n, `${i}: ${spender} may take ${asset}`)
        }
      const { risks, effects } = await explain(request)
      if (harms.length > 0) t.ok(risks.length > 0, `${i}: ${harms}`)
      for (const asset of ['native', ...assets]) {
        const sum = (kind: string) =>
          effects
            .filter(
              (one) =>
                one.kind === kind &&
                one.holder?.toLowerCase() === owner &&
                one.asset?.toLowerCase() === asset,
            )
            .reduce(
              (all, { amount, to }) => (to?.toLowerCase() === owner ? all : all + BigInt(amount ?? 0)),
              0n,
            )
        const lost =
          before.get(`${asset}|${owner}`)! - after.get(`${asset}|${owner}`)! - (asset === 'native' ? gas : 0n)
        t.equal(sum('pays') - sum('receives'), lost, `${i}: the ledger of ${asset}`)
      }
      seen[harms.length > 0 ? 'harmful' : 'honest']++
    }
    await client.revert({ id })
  }
  t.comment(JSON.stringify(seen))
  t.ok(seen.harmful > DRAWS / 6 && seen.honest > DRAWS / 4)
})

/** What everybody has, by `asset|who`. */
async function holdings(client: AnvilClient, assets: readonly Hex[], people: readonly Hex[]) {
  const held = new Map<string, bigint>()
  for (const who of people) {
    held.set(`native|${who}`, await client.getBalance({ address: who }))
    for (const address of assets)
      held.set(
        `${address}|${who}`,
        await client.readContract({ address, abi: TOKEN, functionName: 'balanceOf', args: [who] }),
      )
  }
  return held
}
