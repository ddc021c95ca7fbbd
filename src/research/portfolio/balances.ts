/**
 * GET /api/balances: what wallets hold, as the chains' nodes report it, without prices.
 *
 * Source: §4.10
 */
import { type Static, Type } from 'typebox'
import { nativeAddress } from '../../chains/address.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope, Client } from '../../flow/cancellation.ts'
import { ownTurn } from '../../flow/loop-share.ts'
import type { Holding } from '../../providers/holdings/holdings.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { boolean, integer, nullable, string } from '../../runtime/resources/shared.ts'
import type { TokenSet } from '../list/token-set.ts'
import texts from '../texts.json' with { type: 'json' }
import { parseWallets, type WalletsQuery, type WalletsRequest } from './request.ts'
import type { ChainReading, WalletReader } from './wallet-reader.ts'

/** The most tokens shown for one chain: a wallet may have been sent thousands. */
const MAX_SHOWN = 1_000

const RawBalance = Type.Object({
  address: Type.String(),
  amount: string('base units'),
  decimals: nullable(integer('null if the token does not say')),
  symbol: nullable(Type.String()),
  name: nullable(Type.String()),
})
type RawBalance = Static<typeof RawBalance>

const ChainBalances = Type.Object({
  chain: string('chain key'),
  status: Type.Enum(['complete', 'partial', 'failed'], { description: texts.portfolio.balancesStatus }),
  block: nullable(integer('the oldest that it was read at, on EVM chains')),
  slot: nullable(integer('the oldest that it was read at, on Solana')),
  native: nullable(
    Type.Object({
      ...RawBalance.properties,
      wrapped: nullable(string('the part of `amount` that is wrapped SOL; null on other chains')),
    }),
    { description: 'the native coin, possibly zero; null if it could not be read' },
  ),
  tokens: Type.Array(
    Type.Object({
      ...RawBalance.properties,
      listed: boolean('it is in the token list; the name of any other token is unverified'),
      notes: Type.Array(Type.Enum(['frozen', 'scaled']), { description: 'as in /api/portfolio' }),
    }),
    { description: 'tokens with a balance; listed ones first' },
  ),
  problems: Type.Array(
    Type.Object({
      error: Type.String(),
      code: Type.Optional(Type.String()),
      missing: Type.Optional(integer('tokens, or whole lists of them, that were not read')),
      omitted: Type.Optional(integer('tokens that are not shown')),
    }),
  ),
  asOf: integer('when it was read, ms epoch'),
})
type ChainBalances = Static<typeof ChainBalances>

export const WalletBalances = Type.Object({
  address: nullable(string("in EIP-55's mixed case")),
  sol: nullable(Type.String()),
  chains: Type.Array(ChainBalances),
})
export type WalletBalances = Static<typeof WalletBalances>

interface BalancesOptions {
  readonly wallets: WalletReader
  readonly tokens: TokenSet
  /** For the whole answer, ms. */
  readonly deadlineMs: number
  readonly clock: Clock
}

export class BalanceReader {
  readonly #options: BalancesOptions

  constructor(options: BalancesOptions) {
    this.#options = options
  }

  /** @throws 400  invalid_parameter */
  parse(query: WalletsQuery): WalletsRequest {
    return parseWallets(query, this.#options.tokens.chains())
  }

  /** Whether the answer costs no call, because other requests are reading all of it already. */
  isShared({ wallets }: WalletsRequest, client?: Client): boolean {
    return this.#options.wallets.isShared(wallets, client)
  }

  /** @throws GatewayError  502 upstream_unavailable, if no chain could be read */
  async read(request: WalletsRequest, scope: CancellationScope): Promise<WalletBalances> {
    const { wallets, deadlineMs, clock } = this.#options
    const call = Call.of(clock, 'build', deadlineMs, scope)
    await wallets.ready(request.wallets, deadlineMs / 4)
    const chains: ChainBalances[] = []
    for (const reading of await wallets.readAll(request.wallets, () => call)) {
      await ownTurn()
      chains.push(this.#show(reading))
    }
    return { address: request.address, sol: request.sol, chains }
  }

  #show({ chain, held, at }: ChainReading): ChainBalances {
    if (held instanceof GatewayError) {
      const { code, message } = held
      const problems = [{ error: message, code }]
      const none = { block: null, slot: null, native: null, tokens: [] }
      return { chain: chain.key, status: 'failed', ...none, problems, asOf: at }
    }
    const { missing, isBehind, holdings, isCoinMissing } = held
    const problems: ChainBalances['problems'] =
      missing === 0 ? [] : [{ error: texts.portfolio.missing, missing }]
    if (isBehind) problems.push({ error: texts.portfolio.behind })
    const coin = holdings.find(({ token }) => token.isNative)
    const all = holdings
      .filter(({ token }) => !token.isNative)
      .map((holding) => this.#token(holding))
      .sort((a, b) => Number(b.listed) - Number(a.listed) || (a.address < b.address ? -1 : 1))
    const omitted = all.length - MAX_SHOWN
    if (omitted > 0) problems.push({ error: texts.portfolio.omitted, omitted })
    const { native: symbol, name, decimals } = chain
    const about = { address: nativeAddress(chain), decimals, symbol, name }
    const wrapped = chain.family === 'solana' ? String(coin?.wrapped ?? 0n) : null
    return {
      chain: chain.key,
      status: problems.length === 0 ? 'complete' : 'partial',
      ...held.at,
      native: isCoinMissing ? null : { ...about, amount: String(coin?.amount ?? 0n), wrapped },
      tokens: all.slice(0, MAX_SHOWN),
      problems,
      asOf: at,
    }
  }

  #token({ token, amount, decimals, symbol, name, notes }: Holding): ChainBalances['tokens'][number] {
    const listed = this.#options.tokens.find(token.chain, token.address)
    const balance: RawBalance = {
      address: token.address,
      amount: String(amount),
      decimals: decimals ?? listed?.decimals ?? null,
      symbol: listed?.symbol ?? symbol,
      name: listed?.name ?? name,
    }
    return { ...balance, listed: listed?.isListed === true, notes: [...notes] }
  }
}
