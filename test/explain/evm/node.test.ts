/** What a node of an EVM chain adds, at a real one: serialized transactions, and what signatures let be taken. */
import t, { type Test } from 'tap'
import { type Abi, encodeFunctionData, getAddress, type Hex, pad, parseAbi, serializeTransaction } from 'viem'
import { OPEN_ACCESS } from '../../../src/chains/access.ts'
import { findChain } from '../../../src/chains/find.ts'
import { PERMIT2 } from '../../../src/explain/evm/context.ts'
import { explain } from '../../../src/explain/explain.ts'
import { nodeSources } from '../../../src/explain/node.ts'
import { Call } from '../../../src/flow/call.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm/rpc.ts'
import { account, artifact, deploy, startAnvil, withoutAnvil } from '../../fixtures/anvil.ts'
import { STILL } from '../../fixtures/clock.ts'
import { code, logs } from '../../fixtures/evm-code.ts'

const BASE = findChain('base')!
const OWNER = account(1)
const THIEF = account(2)
const FRIEND = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
const PLACE: Hex = '0x000000000000000000000000000000000000c0DE'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
const HELD = 1_000n

async function world(t: Test) {
  const { url, client } = await startAnvil(t, BASE.chainId!)
  const erc20 = artifact('@uniswap/v2-core/build/ERC20')
  const token = await deploy(client, erc20, [10n ** 24n])
  await token.write('transfer', [OWNER.address, HELD])
  const rpc = new EvmRpc({ chainKey: 'base', urls: [url] })
  t.teardown(() => rpc.close())
  const unasked = { read: () => Promise.reject(new Error('not asked')) }
  const nodes = { solana: unasked, sui: null as never, evm: () => rpc }
  const asked = (request: object) =>
    explain(
      { chain: 'base', recent: [FRIEND], ...request },
      nodeSources(nodes, OPEN_ACCESS, Call.of(STILL, 'research', 60_000, new CancellationScope())),
    )
  const data = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: erc20.abi as Abi, functionName, args })
  return { client, token, asked, data }
}

const ENVELOPES = [
  { type: 'legacy', gasPrice: 7n },
  { type: 'eip2930', gasPrice: 7n, accessList: [] },
  { type: 'eip1559', maxFeePerGas: 7n, maxPriorityFeePerGas: 1n },
] as const
const common = { chainId: BASE.chainId!, nonce: 1, gas: 90_000n, value: 0n }

t.test('at a real node', { skip: withoutAnvil }, async (t) => {
  const { client, token, asked, data } = await world(t)
  const lost = (amount: bigint) => ({
    simulation: {
      by: 'eth_simulateV1',
      at: Number,
      changes: [{ token: token.address, amount: `${-amount}` }],
    },
  })

  await t.test('serialized transactions change the same, whether they are signed or not', async (t) => {
    const paying = { to: token.address, data: data('transfer', [FRIEND, 5n]), ...common }
    for (const envelope of ENVELOPES) {
      const transaction = { ...paying, ...envelope } as never
      const owner = OWNER.address
      const unsigned = await asked({ owner, transaction: serializeTransaction(transaction) })
      t.match(unsigned, { verdict: 'known', owner, ...lost(5n) }, envelope.type)
      const signed = await asked({ transaction: await OWNER.signTransaction!(transaction) })
      t.match(signed, { verdict: 'known', owner, ...lost(5n) }, `${envelope.type}, signed`)
    }
    t.match(await asked({ transaction: serializeTransaction({ ...paying, ...ENVELOPES[2] } as never) }), {
      owner: null,
      simulation: null,
    })
  })

  await t.test('what is more than there is fails; what is of another chain is not executed', async (t) => {
    const paying = {
      to: token.address,
      data: data('transfer', [FRIEND, HELD + 1n]),
      ...common,
      ...ENVELOPES[2],
    }
    t.match(await asked({ transaction: await OWNER.signTransaction!(paying as never) }), {
      verdict: 'unknown',
      risks: [{ code: 'simulation_failed' }],
      simulation: null,
    })
    const elsewhere = { ...paying, chainId: 1 } as never
    const { risks, simulation } = await asked({ transaction: await OWNER.signTransaction!(elsewhere) })
    t.same([risks.map((risk) => risk.code), simulation], [['other_chain'], null])
  })

  await t.test('what delegates code, and an order, are not executed', async (t) => {
    const authorizationList = [{ chainId: String(BASE.chainId), address: THIEF.address }]
    const call = { to: token.address, data: data('transfer', [FRIEND, 5n]), authorizationList }
    t.match(await asked({ owner: OWNER.address, call }), { verdict: 'danger', simulation: null })
    const typedData = {
      domain: { chainId: BASE.chainId!, verifyingContract: PLACE },
      primaryType: 'Order',
      types: { Order: fieldsOf('address sellToken,address buyToken,uint256 sellAmount,uint256 buyAmount') },
      message: { sellToken: token.address, buyToken: PLACE, sellAmount: '5', buyAmount: '5' },
    }
    t.match(await asked({ owner: OWNER.address, typedData }), { verdict: 'unknown', simulation: null })
  })

  await t.test("somebody else's transaction: what the owner loses by it is told", async (t) => {
    await token.write('approve', [THIEF.address, 7n], 0n, OWNER)
    const taking = {
      to: token.address,
      data: data('transferFrom', [OWNER.address, THIEF.address, 7n]),
      ...common,
    }
    const transaction = await THIEF.signTransaction!({ ...taking, ...ENVELOPES[2] } as never)
    const answer = await asked({ owner: OWNER.address, transaction })
    t.match(answer, lost(7n))
    t.ok(answer.risks.some((risk) => risk.code === 'not_signer'))
  })

  await t.test(
    'an approval that is told is no permission that is left; one that is not told is',
    async (t) => {
      const owner = OWNER.address
      const call = (to: string, bytes: Hex) => asked({ owner, call: { to, data: bytes } })
      t.match(await call(token.address, data('approve', [FRIEND, 5n])), {
        verdict: 'known',
        actions: [{ kind: 'approve' }],
        simulation: { changes: { length: 0 } },
      })
      // A call that says one thing, of a contract that does another.
      for (const [told, amount] of [
        [FRIEND, 6n],
        [THIEF.address, 5n],
      ] as const) {
        const log = logs([APPROVAL, pad(owner), pad(FRIEND)], [amount])
        await client.setCode({ address: PLACE, bytecode: code(log) })
        const { verdict, risks } = await call(PLACE, data('approve', [told, 5n]))
        t.equal(verdict, 'danger')
        t.ok(risks.some((risk) => risk.code === 'permission_left'))
      }
      const lowers = encodeFunctionData({
        abi: parseAbi(['function decreaseAllowance(address spender, uint256 amount)']),
        args: [FRIEND, 5n],
      })
      t.match(await call(PLACE, lowers), { verdict: 'known' }, 'what is left of a permission that is lowered')
      const router = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
      const left = async (amount: bigint) => {
        const log = logs([APPROVAL, pad(owner), pad(router)], [amount])
        await client.setCode({ address: PLACE, bytecode: code(log) })
        return (await call(PLACE, data('transfer', [FRIEND, 5n]))).verdict
      }
      t.equal(await left(6n), 'known', 'what a known router may take still, as tokens tell at each use')
      t.equal(await left(2n ** 256n - 1n), 'danger')
    },
  )

  await t.test('a permit lets be taken what there is, and no more than it says', async (t) => {
    const typed = (
      primaryType: string,
      fields: string,
      message: object,
      verifyingContract = token.address,
    ) => ({
      typedData: {
        domain: { chainId: BASE.chainId!, verifyingContract },
        primaryType,
        types: {
          EIP712Domain: fieldsOf('uint256 chainId,address verifyingContract'),
          [primaryType]: fieldsOf(fields),
          ...MORE,
        },
        message,
      },
    })
    const permit = (value: bigint, contract = token.address) =>
      typed(
        'Permit',
        'address owner,address spender,uint256 value,uint256 nonce,uint256 deadline',
        { owner: OWNER.address, spender: FRIEND, value: String(value), nonce: 0, deadline: 1 },
        contract,
      )
    t.match(await asked(permit(5n)), { verdict: 'known', ...lost(5n) })
    t.match(await asked(permit(2n ** 256n - 1n)), lost(HELD))
    t.match(await asked(permit(0n)), { simulation: null, actions: [{ kind: 'revoke' }] })
    t.match(await asked(permit(5n, getAddress(pad('0x77', { size: 20 })))), {
      verdict: 'unknown',
      unknown: [{ where: 'simulation' }],
    })
    const authorization = typed(
      'TransferWithAuthorization',
      'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce',
      { from: OWNER.address, to: FRIEND, value: '9', validAfter: 0, validBefore: 1, nonce: pad('0x01') },
    )
    t.match(await asked(authorization), lost(9n))

    const permitted = [
      { token: token.address, amount: '600' },
      { token: token.address, amount: '600' },
    ]
    const batch = typed(
      'PermitBatchTransferFrom',
      'TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline',
      { permitted, spender: FRIEND, nonce: 0, deadline: 1 },
      PERMIT2 as Hex,
    )
    const ofOwner = { owner: OWNER.address, ...batch }
    t.match(await asked(ofOwner), { simulation: { changes: { length: 0 } } }, 'Permit2 may take nothing yet')
    await token.write('approve', [PERMIT2, 2n ** 255n], 0n, OWNER)
    t.match(await asked(ofOwner), lost(HELD), 'both together take all')
    await token.write('approve', [PERMIT2, 700n], 0n, OWNER)
    t.match(await asked(ofOwner), lost(700n))
  })
})

const MORE = { TokenPermissions: fieldsOf('address token,uint256 amount') }

function fieldsOf(text: string) {
  return text.split(',').map((field) => {
    const [type, name] = field.split(' ')
    return { name, type }
  })
}
