/**
 * Two nodes of TON, as far as the gateway uses them: get methods of jettons and of DeDust's vaults and pools,
 * and the router's code, in the interfaces of toncenter and TonAPI.
 *
 * Source: toncenter.com/api/v2 (runGetMethod, getAddressInformation) · tonkeeper/opentonapi api/openapi.yml ·
 * TEP-74 · docs.dedust.io
 */
import { parseBoc } from '../../proof/ton/boc.ts'
import { CellReader, MalformedCell } from '../../proof/ton/cell.ts'
import { type DedustAsset, dedustPair, dedustPools, dedustVault } from '../../proof/ton/dedust.ts'
import { NODE_ERROR } from '../dials.ts'
import type { Market } from '../market/market.ts'
import { nodeError } from '../node-error.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import { ROUTER, ROUTER_LIBRARY, walletAddress } from './addresses.ts'
import { address, cell, libraryCell, writeBag } from './cells.ts'

export const TONCENTER = '/toncenter/api/v2/jsonRPC'
const TONAPI = '/tonapi/v2'

/**
 * Both nodes, at two names of one machine: nodes at one host are one party.
 * @param url  where the server is, by its IP address
 */
export const tonUrls = (url: string): readonly string[] => [
  url + TONCENTER,
  url.replace('127.0.0.1', 'localhost') + TONAPI,
]

const TONAPI_ACCOUNT = /^\/tonapi\/v2\/blockchain\/accounts\/([^/]+)$/
const TONAPI_METHOD = /^\/tonapi\/v2\/blockchain\/accounts\/([^/]+)\/methods\/([a-z_]+)$/
/** The virtual machine's exit code for an account without code. */
const NO_CODE = -13

/** A stack entry: a bag for a cell, or a number. */
type StackEntry = Buffer | bigint

interface JettonWallet {
  readonly owner: string
  readonly master: string
}

export function tonNodes({ market }: Pick<World, 'market'>): ProviderServer {
  const chain = new TonContracts(market)
  return {
    name: 'ton',
    faults: [NODE_ERROR],
    rateLimited: () => ({ status: 429, body: { ok: false, error: 'Ratelimit exceed', code: 429 } }),
    nodeError(request, code) {
      const { error } = nodeError(request, code).body as { readonly error: { readonly message: string } }
      return { status: 200, body: { ok: false, error: error.message, code } }
    },
    handle(request) {
      if (request.path === TONCENTER) return toncenter(chain, request)
      return request.path.startsWith(TONAPI) ? tonapi(chain, request) : refusal(404, 'Not Found')
    },
  }
}

class TonContracts {
  readonly #market: Market
  /** Wallets that were looked up: their addresses do not reveal their owners. */
  readonly #wallets = new Map<string, JettonWallet>()

  constructor(market: Market) {
    this.#market = market
  }

  /** @returns null if the account has no contract, or one whose code is never requested */
  codeOf(account: string): Buffer | null {
    return account === ROUTER ? writeBag(libraryCell(ROUTER_LIBRARY)) : null
  }

  #jettons(): readonly string[] {
    return this.#market.tokens('ton').flatMap(({ isNative, address }) => (isNative ? [] : [address]))
  }

  /** DeDust has a pool of each jetton with TON. */
  #pairs(): readonly (readonly [DedustAsset, DedustAsset])[] {
    return this.#jettons().map((jetton) => [null, jetton])
  }

  /** @returns null if the account has no such method */
  run(account: string, method: string, args: readonly (Buffer | null)[]): StackEntry[] | null {
    const token = this.#market.find('ton', account)
    const wallet = this.#wallets.get(account)
    if (method === 'get_wallet_address' && token !== null && !token.isNative) {
      const owner = readAddress(args[0] ?? null)
      if (owner === null) return null
      const found = walletAddress(token.address, owner)
      this.#wallets.set(found, { owner, master: token.address })
      return [bagOf(found)]
    }
    if (method === 'get_assets') {
      const pair = this.#pairs().find((one) => dedustPools(...one).includes(account))
      return pair === undefined ? null : dedustPair(...pair).map(assetBag)
    }
    if (method === 'get_wallet_addr') {
      const jetton = this.#jettons().find((one) => dedustVault(one) === account)
      return jetton === undefined ? null : [bagOf(walletAddress(jetton, account))]
    }
    if (method === 'get_wallet_data' && wallet !== undefined) {
      return [0n, bagOf(wallet.owner), bagOf(wallet.master), writeBag(cell(''))]
    }
    return null
  }
}

function toncenter(chain: TonContracts, { method, body }: ProviderRequest): ProviderReply {
  if (method !== 'POST') return refusal(405, 'Method Not Allowed')
  const { id, method: call, params } = fieldsOf(body)
  const { address: account, method: name, stack } = fieldsOf(params)
  if (call === 'getAddressInformation') {
    const code = chain.codeOf(String(account))
    const state = code === null ? 'uninitialized' : 'active'
    const result = {
      '@type': 'raw.fullAccountState',
      balance: '0',
      code: code?.toString('base64') ?? '',
      state,
    }
    return { status: 200, body: { ok: true, result, jsonrpc: '2.0', id } }
  }
  if (call !== 'runGetMethod') return refusal(422, 'Method not found')
  const args = (Array.isArray(stack) ? stack : []).map(([, bytes]: unknown[]) =>
    typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : null,
  )
  const found = chain.run(String(account), String(name), args)
  const entries = (found ?? []).map((entry) =>
    typeof entry === 'bigint'
      ? ['num', `0x${entry.toString(16)}`]
      : ['cell', { bytes: entry.toString('base64') }],
  )
  const result = {
    '@type': 'smc.runResult',
    gas_used: 1_500,
    stack: entries,
    exit_code: found === null ? NO_CODE : 0,
  }
  return { status: 200, body: { ok: true, result, jsonrpc: '2.0', id } }
}

function tonapi(chain: TonContracts, { method, path, query }: ProviderRequest): ProviderReply {
  const [, owner] = TONAPI_ACCOUNT.exec(path) ?? []
  if (method === 'GET' && owner !== undefined) {
    const code = chain.codeOf(owner)
    if (code === null) return refusal(404, 'entity not found')
    return { status: 200, body: { address: owner, balance: 0, status: 'active', code: code.toString('hex') } }
  }
  const [, account, name] = TONAPI_METHOD.exec(path) ?? []
  if (method !== 'GET' || account === undefined) return refusal(404, 'Not Found')
  const args = query.getAll('args').map((text) => Buffer.from(text, 'hex'))
  const found = chain.run(account, name!, args)
  if (found === null) return refusal(404, 'entity not found')
  const stack = found.map((entry) =>
    typeof entry === 'bigint'
      ? { type: 'num', num: `0x${entry.toString(16)}` }
      : { type: 'cell', cell: entry.toString('hex') },
  )
  return { status: 200, body: { success: true, exit_code: 0, stack } }
}

const assetBag = (asset: DedustAsset): Buffer =>
  writeBag(cell(asset === null ? '0000' : `0001${address(asset).slice(3)}`))

const bagOf = (account: string): Buffer => writeBag(cell(address(account)))

function readAddress(bag: Buffer | null): string | null {
  const root = bag === null ? null : parseBoc(bag)
  if (root === null) return null
  try {
    return new CellReader(root).address()
  } catch (error) {
    if (error instanceof MalformedCell) return null
    throw error
  }
}

const refusal = (status: number, error: string): ProviderReply => ({ status, body: { error } })

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
