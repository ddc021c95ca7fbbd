/**
 * Every address in the gateway's tables, one row each, with the question to the chain whether it is still
 * what the table says. A new table needs a line in `tables`.
 *
 * A row that is stale changes nothing of what is proved. Where a chain's own registry names a new address, the
 * proof accepts that one by itself: see proof/cross-chain/lifi/periphery.ts.
 *
 * Source: ethereum/execution-apis (eth_getCode) · solana.com/docs/rpc (getAccountInfo) · docs.sui.io, GraphQL ·
 * docs.jito.wtf (getTipAccounts)
 */

import { MULTICALL3 } from '../../chains/contracts.ts'
import type { EvmChain } from '../../chains/definition.ts'
import { EVM_CHAINS } from '../../chains/find.ts'
import { fieldsOf } from '../../chains/json/fields.ts'
import { memberText } from '../../chains/json/member.ts'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { DFLOW_PROGRAM, JUPITER_PROGRAM } from '../../chains/solana/programs.ts'
import { Call } from '../../flow/call.ts'
import { PROVABLE_BRIDGES } from '../../proof/cross-chain/lifi/bridges.ts'
import { feeContractsOf } from '../../proof/cross-chain/lifi/fee-contracts.ts'
import { SWIFT_CONTRACTS } from '../../proof/cross-chain/lifi/mayan.ts'
import type { LifiPeriphery } from '../../proof/cross-chain/lifi/periphery.ts'
import { BRIDGE_PROGRAMS } from '../../proof/cross-chain/solana.ts'
import { EXECUTORS } from '../../proof/evm/kyberswap.ts'
import { KYBERSWAP_ROUTER, VELORA_ROUTER } from '../../proof/evm/rules.ts'
import { POOL_LAYOUTS } from '../../proof/solana/pools.ts'
import { PUBLISHED_PACKAGES } from '../../proof/sui/packages.ts'
import { isStonCode, STON_ROUTERS } from '../../proof/ton/ston-routers.ts'
import type { TonWitness } from '../../proof/ton/witness.ts'
import { CLOCK } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { Renewed } from '../../runtime/renewed.ts'
import type { EvmRpc } from '../../upstream/nodes/evm/rpc.ts'
import { LANDING_SERVICES } from '../../upstream/nodes/solana/landing-services.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import type { SuiRpc } from '../../upstream/nodes/sui/rpc.ts'
import { DATA_FEES } from '../gas.ts'

const DEADLINE_MS = 5_000
const asking = () => Call.of(CLOCK, 'research', DEADLINE_MS)

/** What rows read from. */
export interface TableSources {
  evm(chainKey: string): Pick<EvmRpc, 'voters'>
  readonly solana: Pick<SolanaRpc, 'voters'>
  readonly sui: Pick<SuiRpc, 'voters'>
  readonly ton: Pick<TonWitness, 'codeOf'>
  readonly periphery: Pick<LifiPeriphery, 'at'>
  /** The bridges that LI.FI knows; null if it is switched off. */
  readonly bridges: Pick<Renewed<ReadonlySet<string>>, 'renew'> | null
  /** The accounts at which Jito takes tips; null if no transaction goes to it. */
  readonly jitoTips: Pick<Renewed<ReadonlySet<string>>, 'renew'> | null
}

export interface TableRow {
  readonly table: string
  /** A chain's key. */
  readonly chain: string
  /** The address, or the name. */
  readonly key: string
  /**
   * @returns null if it matches the table, else what differs
   * @throws GatewayError  if nobody answered
   */
  check(sources: TableSources): Promise<string | null>
}

type Row = Omit<TableRow, 'table'>
const row = (chain: string, key: string, check: Row['check']): Row => ({ chain, key, check })

export const tableRows = (): readonly TableRow[] =>
  Object.entries(tables()).flatMap(([table, rows]) => rows.map((row) => ({ ...row, table })))

const tables = (): Readonly<Record<string, readonly Row[]>> => ({
  lifi_registry: lifiChains().flatMap(registered),
  lifi_bridges: bridges(),
  lifi_diamond: lifiChains().map((chain) => code(chain, chain.xprovContract!)),
  lifi_fee_contracts: lifiChains().flatMap(feeContracts),
  kyberswap_router: listed('kyberswap').map((chain) => code(chain, KYBERSWAP_ROUTER)),
  kyberswap_executors: [...EXECUTORS].map((at) => code(chainOf('ethereum'), at, chainOf('arbitrum'))),
  velora_router: listed('velora').map((chain) => code(chain, VELORA_ROUTER)),
  v3_contracts: EVM_CHAINS.flatMap(v3Contracts),
  v2_routers: EVM_CHAINS.flatMap((chain) => chain.v2Routers.map(({ address }) => v2Router(chain, address))),
  mayan_swift: MAYAN.flatMap((key) => SWIFT_CONTRACTS.map((address) => code(chainOf(key), address))),
  wrapped_native: EVM_CHAINS.map((chain) => code(chain, chain.wrappedNative)),
  multicall3: EVM_CHAINS.map((chain) => code(chain, MULTICALL3)),
  gas_oracles: [...DATA_FEES].map(([key, { to }]) => code(chainOf(key), to)),
  solana_programs: [...SWAP_PROGRAMS, ...readBridges()].map(program),
  sui_packages: PUBLISHED_PACKAGES.map(suiPackage),
  ston_routers: [...STON_ROUTERS.keys()].map(stonRouter),
  jito_tips: JITO.tipAccounts.map(jitoTip),
})

const SWAP_PROGRAMS = [JUPITER_PROGRAM, DFLOW_PROGRAM, ...Object.keys(POOL_LAYOUTS)]
const JITO = LANDING_SERVICES.find(({ name }) => name === 'Jito')!

/** The chains where Mayan has had both of its contracts longest. */
const MAYAN = ['ethereum', 'base', 'arbitrum', 'optimism', 'polygon', 'avalanche', 'bsc']

const chainOf = (key: string): EvmChain => EVM_CHAINS.find((chain) => chain.key === key)!
const lifiChains = () => EVM_CHAINS.filter(({ xprovContract }) => xprovContract !== null)
const listed = (provider: 'kyberswap' | 'velora') =>
  EVM_CHAINS.filter(({ listedAs }) => listedAs[provider] !== undefined)
const readBridges = () => [...BRIDGE_PROGRAMS].flatMap(([key, { read }]) => (read === null ? [] : [key]))
const feeContracts = (chain: EvmChain): Row[] => {
  const { collectors, forwarders } = feeContractsOf(chain.key)
  return [...collectors, ...forwarders].map((address) => code(chain, address))
}

/** @param other  a chain that may have the contract instead */
function code(chain: EvmChain, key: string, other?: EvmChain): Row {
  const at = (asked: EvmChain, { evm }: TableSources) =>
    judged(evm(asked.key).voters, async (node) =>
      (await node.code(key, asking())) === '0x' ? 'There is no contract at this address.' : null,
    )
  return row(chain.key, key, async (sources) => {
    const differs = await at(chain, sources)
    return differs === null || other === undefined ? differs : at(other, sources)
  })
}

/** Contracts name others: by the selector of the function, the address that it has to return. */
const naming = (chain: EvmChain, key: string, named: Readonly<Record<string, string>>): Row =>
  row(chain.key, key, ({ evm }) =>
    judged(evm(chain.key).voters, async (node) => {
      for (const [selector, address] of Object.entries(named)) {
        const word = await node.call(key, selector, asking())
        const isOurs = word !== null && word.length === 66 && address.toLowerCase() === `0x${word.slice(26)}`
        if (!isOurs) return `The contract does not name ${address}.`
      }
      return null
    }),
  )

/** `WETH()` */
const v2Router = (chain: EvmChain, key: string): Row =>
  naming(chain, key, { '0xad5c4648': chain.wrappedNative })

/** `WETH9()` and `factory()` of the router and the quoter. */
const v3Contracts = (chain: EvmChain): readonly Row[] => {
  const { v3, wrappedNative } = chain
  return Object.values(v3).flatMap(({ factory, router, quoter }) => {
    const named = { '0x4aa4a4fc': wrappedNative, '0xc45a0155': factory }
    return [router, quoter].map((key) => naming(chain, key, named))
  })
}

const registered = ({ key: chain }: EvmChain): Row[] =>
  (['forwarder', 'collector'] as const).map((kind) =>
    row(chain, kind === 'forwarder' ? 'FeeForwarder' : 'FeeCollector', async ({ periphery }) => {
      const named = answered(await periphery.at(chain)?.renew())
      const address = named[kind]
      const { collectors, forwarders } = feeContractsOf(chain)
      if (address === null || [...collectors, ...forwarders].includes(address)) return null
      return `LI.FI's registry names ${address}, which is accepted with those of the table.`
    }),
  )

const bridges = (): Row[] =>
  Object.entries(PROVABLE_BRIDGES).flatMap(([family, names]) =>
    names.map((key) =>
      row(family === 'evm' ? 'ethereum' : family, key, async ({ bridges }) => {
        const known = answered(await bridges?.renew())
        return known.has(key) ? null : 'LI.FI knows no bridge of this name; it is not asked for.'
      }),
    ),
  )

const program = (key: string): Row =>
  row('solana', key, ({ solana }) =>
    judged(solana.voters, async (node) => {
      const params = JSON.stringify([key, { encoding: 'base64', dataSlice: { offset: 0, length: 0 } }])
      const { result } = await node.read('getAccountInfo', params, asking())
      return memberText(answered(result), ['value', 'executable']) === 'true'
        ? null
        : 'There is no program at this address.'
    }),
  )

export const VERSIONS_QUERY =
  'query ($address: SuiAddress!) { package(address: $address) { packageVersionsAfter(last: 1) { nodes { address } } } }'

const suiPackage = (key: string): Row =>
  row('sui', key, ({ sui }) =>
    judged(sui.voters, async (node) => {
      const text = await node.query(VERSIONS_QUERY, { address: key }, asking())
      const { package: found } = fieldsOf(fieldsOf(text === null ? null : parsedOrNone(text)).data)
      if (found === undefined) throw unanswered()
      if (found === null) return 'There is no package at this address.'
      const { nodes } = fieldsOf(fieldsOf(found).packageVersionsAfter)
      const { address: newest } = fieldsOf(Array.isArray(nodes) ? nodes.at(-1) : null)
      return typeof newest !== 'string' || PUBLISHED_PACKAGES.includes(newest)
        ? null
        : `It was upgraded: the newest version is ${newest}.`
    }),
  )

const stonRouter = (key: string): Row =>
  row('ton', key, async ({ ton }) => {
    const hash = answered(await ton.codeOf(key))
    return isStonCode(STON_ROUTERS.get(key)!, hash) ? null : `The router runs other code: ${hash}.`
  })

const jitoTip = (key: string): Row =>
  row('solana', key, async ({ jitoTips }) => {
    const accounts = answered(await jitoTips?.renew())
    return accounts.has(key) ? null : 'Jito does not list this account.'
  })

/** What differs, if the first two nodes that answer say so; a single node is believed. */
async function judged<Node>(nodes: readonly Node[], ask: (node: Node) => Promise<string | null>) {
  const found: string[] = []
  for (const node of nodes) {
    const differs = await ask(node).catch((error: unknown) => {
      if (error instanceof GatewayError) return undefined
      throw error
    })
    if (differs === null) return null
    if (differs !== undefined && found.push(differs) === 2) break
  }
  if (found.length === 0) throw unanswered()
  return found[0]!
}

/** @throws GatewayError  if nobody answered */
function answered<T>(answer: T | null | undefined): T {
  if (answer != null) return answer
  throw unanswered()
}

const unanswered = (): GatewayError =>
  new GatewayError('upstream_unusable', 'Nobody answered what the row is.', { scope: 'provider' })
