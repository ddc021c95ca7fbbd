/**
 * Sui's chain in the sandbox, without a Move machine: a ledger of coins that executes a
 * transaction's commands. Every wallet holds the same. Functions that the sandbox's
 * providers call behave as the real ones, at the market's prices. Any other function
 * keeps all coins it receives and returns nothing: the worst case.
 *
 * Source: docs.sui.io, Programmable Transaction Blocks · CetusProtocol/aggregator
 * src/movecall/router.ts · circlefin/sui-cctp
 */
import { KNOWN_MAYAN, mctpCall, WORMHOLE } from '../../proof/sui/mctp.ts'
import { roleOf } from '../../proof/sui/packages.ts'
import {
  addressIn,
  numberIn,
  parseSuiTransaction,
  type SuiArgument,
  type SuiCall,
  type SuiCommand,
  type SuiTransaction,
} from '../../proof/sui/ptb.ts'
import type { Market } from '../market/market.ts'
import type { Prices } from '../market/prices.ts'
import type { MarketToken } from '../market/tokens.ts'
import { coinOf, gasCoinOf, UPGRADED } from './compose.ts'

const CHAIN = 'sui'
/** The gas of any execution, MIST. */
const GAS_USED = 2_000_000n
const HELD_TOKENS = 1_000_000n
const FEE_SCALE = 1_000_000n

interface Executed {
  /** `INVALID`: a node refuses it unexecuted. */
  readonly status: 'SUCCESS' | 'FAILURE' | 'INVALID'
  /** Why it failed; null if it succeeded. */
  readonly error: string | null
  /** The gas that was used, MIST. */
  readonly gas: bigint
  /** What is to be paid out on other chains. */
  readonly crossings: readonly Crossing[]
  /** Balance changes by owner, negative for what leaves; only gas if it failed. */
  readonly changes: readonly { readonly owner: string; readonly coinType: string; readonly amount: bigint }[]
}

interface LedgerCoin {
  readonly kind: 'coin' | 'balance'
  readonly type: string
  amount: bigint
}

/** A swap in progress: what is in its bag, by coin type. */
interface SwapBag {
  readonly kind: 'context'
  readonly bought: string
  readonly least: bigint
  readonly bag: Map<string, bigint>
}

/** What Mayan's order or Circle's burn has for another chain. */
export interface Crossing {
  /** USDC that is burnt, in base units. */
  readonly burnt: bigint
  /** The part of it for the redeemer, or kept on Sui for them. */
  readonly fee: bigint
  readonly domain: bigint
  /** 32 bytes of hex. */
  readonly to: string
  /** What an auction pays out: the token in 32 bytes of hex, and the least of it; null if it is the USDC. */
  readonly bought: {
    readonly token: string
    readonly chain: bigint
    readonly least: bigint
    /** The recipient of a refund. */
    readonly trader: string
    readonly payloadType: bigint
    /** The referrer's part of the order, in bps. */
    readonly referrerBps: bigint
  } | null
  /** The part of what arrives that the recipient gets as gas. */
  readonly gasDrop: bigint
}

/** A value that can neither be dropped nor kept: only the next call takes it. */
interface Ticket {
  readonly kind: 'ticket'
  readonly name: string
  /** The fields that both of Mayan's packages were given. */
  readonly told: string
  readonly crossing: Crossing | null
}

type Value = LedgerCoin | SwapBag | Ticket

/** The transaction aborts: nothing happens, but gas is paid. */
class Abort extends Error {}
/** The inputs are not the sender's, or cannot pay for gas: it is not executed. */
class Invalid extends Abort {}

/** Base units that every wallet holds in each of its coins. */
const heldOf = ({ decimals }: Pick<MarketToken, 'decimals'>): bigint => HELD_TOKENS * 10n ** BigInt(decimals)

/** Wallets whose address ends in 58 hold everything as address balances (SIP-58), and no coin. */
export const holdsBalances = (owner: string): boolean => owner.endsWith('58')

/** The gas coin is the wallet's only coin of SUI. Wallets whose address ends in 00 hold nothing. */
export const heldBy = (owner: string, token: Pick<MarketToken, 'decimals'>): bigint =>
  owner.endsWith('00') ? 0n : heldOf(token)

/** @param now  Unix time in ms */
export function execute(market: Market, base64: string, now: number): Executed {
  const transaction = parseSuiTransaction(Buffer.from(base64, 'base64'))
  if (transaction === null || transaction === 'system')
    return failed('INVALID', 'not a transaction of a wallet’s')
  const run = new TransactionRun(market, transaction, market.at(now))
  try {
    return run.all()
  } catch (error) {
    if (!(error instanceof Abort)) throw error
    return failed(error instanceof Invalid ? 'INVALID' : 'FAILURE', error.message)
  }
}

const failed = (status: Executed['status'], error: string): Executed => ({
  status,
  error,
  gas: GAS_USED,
  crossings: [],
  changes: [],
})

class TransactionRun {
  readonly #market: Market
  readonly #transaction: SuiTransaction
  readonly #prices: Prices
  readonly #native: MarketToken
  /** The wallet's coins that the transaction names, by `gas` or the index of the input. */
  readonly #own = new Map<'gas' | number, LedgerCoin | null>()
  /** What may be redeemed, by the index of the input. */
  readonly #withdrawals = new Map<number, LedgerCoin>()
  readonly #results: (Value | null)[][] = []
  readonly #crossings: Crossing[] = []
  readonly #changes = new Map<string, Map<string, bigint>>()

  constructor(market: Market, transaction: SuiTransaction, prices: Prices) {
    this.#market = market
    this.#transaction = transaction
    this.#prices = prices
    this.#native = market.native(CHAIN)
  }

  all(): Executed {
    this.#load()
    for (const command of this.#transaction.commands) this.#results.push(this.#run(command))
    if (this.#results.flat().some((value) => value !== null && !isEmpty(value))) {
      throw new Abort('UnusedValueWithoutDrop')
    }
    const { sender } = this.#transaction
    for (const coin of this.#own.values()) if (coin !== null) this.#credit(sender, coin.type, coin.amount)
    this.#credit(sender, this.#native.address, -GAS_USED)
    const changes = [...this.#changes].flatMap(([owner, byType]) =>
      [...byType].flatMap(([coinType, amount]) => (amount === 0n ? [] : [{ owner, coinType, amount }])),
    )
    return { status: 'SUCCESS', error: null, gas: GAS_USED, crossings: this.#crossings, changes }
  }

  /** The coins that are named must be the sender's. */
  #load(): void {
    const { sender, gasOwner, gasCoins, gasBudget, inputs } = this.#transaction
    const owned = holdsBalances(sender) ? [] : [gasCoinOf(sender)]
    if (gasOwner !== sender || gasCoins.length > owned.length || gasCoins.some((id) => !owned.includes(id))) {
      throw new Invalid('GasObjectNotOwnedObject')
    }
    if (gasBudget < GAS_USED) throw new Invalid('InsufficientGas')
    const held = heldBy(sender, this.#native)
    // A wallet that holds coins has no address balance to pay from.
    if (gasBudget > held || (gasCoins.length === 0 && owned.length > 0)) throw new Invalid('GasBalanceTooLow')
    if (gasCoins.length > 0) this.#take('gas', this.#native.address, held)
    const seen = new Set<string>()
    const reserved = new Map<string, bigint>()
    for (const [index, input] of inputs.entries()) {
      if (input.kind === 'receiving') throw new Invalid('ObjectNotFound')
      if (input.kind === 'withdrawal') {
        const token = this.#market.find(CHAIN, input.type)
        const sum = (reserved.get(input.type) ?? 0n) + input.amount
        const most = token !== null && holdsBalances(sender) ? heldBy(sender, token) : 0n
        if (input.from !== 'sender' || sum > most) throw new Invalid('InsufficientFundsForWithdraw')
        reserved.set(input.type, sum)
        this.#withdrawals.set(index, { kind: 'coin', type: input.type, amount: input.amount })
      }
      if (input.kind !== 'owned') continue
      const token = this.#market.tokens(CHAIN).find(({ address }) => coinOf(sender, address) === input.id)
      if (token === undefined || seen.has(input.id) || owned.length === 0) throw new Invalid('ObjectNotFound')
      seen.add(input.id)
      this.#take(index, token.address, heldBy(sender, token))
    }
  }

  /** Taken out of the wallet while the transaction runs. */
  #take(place: 'gas' | number, type: string, amount: bigint): void {
    this.#credit(this.#transaction.sender, type, -amount)
    this.#own.set(place, { kind: 'coin', type, amount })
  }

  #run(command: SuiCommand): (Value | null)[] {
    switch (command.kind) {
      case 'split': {
        const coin = this.#coin(command.coin)
        return command.amounts.map((argument) => withdraw(coin, this.#u64(argument)))
      }
      case 'merge': {
        const into = this.#coin(command.into)
        for (const argument of command.coins) {
          if (argument.kind === 'gas') throw new Abort('InvalidGasCoinUsage')
          const coin = this.#moved(argument)
          if (coin === into || coin.kind !== 'coin' || coin.type !== into.type)
            throw new Abort('TypeMismatch')
          into.amount += coin.amount
        }
        return []
      }
      case 'transfer': {
        const to = this.#address(command.to)
        for (const argument of command.objects) this.#send(this.#moved(argument), to)
        return []
      }
      case 'call':
        return this.#call(command)
      default:
        throw new Abort(`${command.kind}: not in the sandbox`)
    }
  }

  #call(call: SuiCall): (Value | null)[] {
    const { args, types } = call
    const at = (index: number): SuiArgument => {
      const argument = args[index]
      if (argument === undefined) throw new Abort('ArityMismatch')
      return argument
    }
    const step = mctpCall(call, KNOWN_MAYAN)
    if (step !== null) return step === 'log' ? [] : this.#mayan(call, at)
    // An unknown package may have functions of any name.
    switch (roleOf(call.package, call.name, UPGRADED) === null ? null : call.name) {
      case 'coin::redeem_funds':
        return [this.#redeemed(at(0), types)]
      case 'coin::zero':
        return [{ kind: 'coin', type: types[0]!, amount: 0n }]
      case 'router::new_swap_context':
        return [this.#open(types, at(3), this.#u64(at(2)), this.#u32(at(4)), this.#address(at(5)))]
      case 'cetus::swap':
        this.#swap(this.#context(at(0)), types, this.#bool(at(4)), this.#u64(at(5)))
        return []
      case 'cetus::swap_a2b': {
        const coin = this.#moved(at(3))
        if (coin.kind !== 'coin' || coin.type !== types[0]) throw new Abort('TypeMismatch')
        return [{ kind: 'coin', type: types[1]!, amount: this.#sold(types[0]!, types[1]!, coin.amount) }]
      }
      case 'router::confirm_swap': {
        const context = this.#moved(at(0))
        if (context.kind !== 'context' || context.bought !== types[0]) throw new Abort('TypeMismatch')
        const amount = context.bag.get(context.bought) ?? 0n
        context.bag.delete(context.bought)
        if (amount < context.least) throw new Abort('EAmountOutBelowLimit')
        if (context.bag.size > 0) throw new Abort('EBagNotEmpty')
        return [{ kind: 'coin', type: context.bought, amount }]
      }
      case 'router::take_balance': {
        const { bag } = this.#context(at(0))
        const [type, amount] = [types[0]!, this.#u64(at(1))]
        const left = (bag.get(type) ?? 0n) - amount
        if (left < 0n) throw new Abort('EInsufficientBalance')
        if (left === 0n) bag.delete(type)
        else bag.set(type, left)
        return [{ kind: 'balance', type, amount }]
      }
      case 'utils::check_coin_threshold':
        if (this.#coin(at(0)).amount < this.#u64(at(1))) throw new Abort('EAmountOutBelowLimit')
        return []
      case 'router::transfer_or_destroy_coin':
      case 'utils::transfer_or_destroy_coin':
        this.#send(this.#moved(at(0)), this.#transaction.sender)
        return []
      case 'router::transfer_balance':
      case 'transfer::public_transfer':
      case 'coin::send_funds':
        this.#send(this.#moved(at(0)), this.#address(at(1)))
        return []
      case 'deposit_for_burn::deposit_for_burn': {
        const coin = this.#moved(at(0))
        if (coin.kind !== 'coin' || coin.type !== types[0]) throw new Abort('TypeMismatch')
        const [domain, to] = [this.#u32(at(1)), this.#address(at(2))]
        this.#crossings.push({ burnt: coin.amount, fee: 0n, domain, to, bought: null, gasDrop: 0n })
        return []
      }
      default:
        for (const argument of args) this.#keep(argument, call.package)
        return []
    }
  }

  /** A withdrawal is redeemed once. */
  #redeemed(argument: SuiArgument, [type]: readonly string[]): LedgerCoin {
    const at = argument.kind === 'input' ? argument.index : -1
    const coin = this.#withdrawals.get(at)
    if (coin === undefined || coin.type !== type) throw new Abort('TypeMismatch')
    this.#withdrawals.delete(at)
    this.#credit(this.#transaction.sender, coin.type, -coin.amount)
    return coin
  }

  /** Mayan's calls, and those of Circle's and Wormhole's that its tickets go to. */
  #mayan({ name, types, args }: SuiCall, at: (index: number) => SuiArgument): (Value | null)[] {
    const [module, called] = name.split('::') as [string, string]
    switch (called) {
      case 'prepare_calc_mctp_fee':
        this.#coin(at(3))
        return [ticket('fee ticket', { told: this.#told(args.slice(1)) })]
      case 'calculate_mctp_fee':
        return [ticket('fee parameters', { told: this.#ticket(at(1), 'fee ticket').told })]
      case 'prepare_initialize_order': {
        const [chain, token, least] = [this.#number(at(4), 2), this.#address(at(5)), this.#u64(at(6))]
        const bought = {
          ...{ chain, token, least, trader: this.#address(at(1)) },
          ...{ payloadType: this.#number(at(0), 1), referrerBps: this.#number(at(11), 1) },
        }
        return [
          this.#ordered(module, types, at(2), this.#u64(at(13)), this.#told(args.slice(0, 12)), {
            fee: this.#u64(at(8)),
            domain: this.#u32(at(12)),
            to: this.#address(at(3)),
            bought,
            gasDrop: this.#u64(at(7)),
          }),
        ]
      }
      case 'prepare_bridge_with_fee':
      case 'prepare_bridge_locked_fee': {
        const first = called === 'prepare_bridge_with_fee' ? 1 : 0
        return [
          this.#ordered(module, types, at(first), this.#u64(at(first + 1)), '', {
            fee: this.#u64(at(first + 5)),
            domain: this.#u32(at(first + 3)),
            to: this.#address(at(first + 2)),
            bought: null,
            gasDrop: this.#u64(at(first + 4)),
          }),
        ]
      }
      case 'initialize_order':
      case 'bridge_with_fee':
      case 'bridge_locked_fee': {
        const order = this.#ticket(at(3), `${module} order`)
        if (called === 'initialize_order' && this.#ticket(at(4), 'fee parameters').told !== order.told) {
          throw new Abort('EInvalidFeeManagerParams')
        }
        return [ticket(`${module} burn`, order), ticket(`${module} deposit`, order)]
      }
      case 'deposit_for_burn_with_caller_with_package_auth': {
        const owner = types[1]?.split('::')[1]
        return [null, ticket('message', this.#ticket(at(0), `${owner} deposit`))]
      }
      case 'publish_message': {
        const fee = this.#moved(at(1))
        if (fee.kind !== 'coin' || fee.type !== this.#native.address) throw new Abort('TypeMismatch')
        this.#credit(WORMHOLE, fee.type, fee.amount)
        this.#ticket(at(2), 'wormhole message')
        return []
      }
      default: {
        const isStored = called.startsWith('store_')
        const order = this.#ticket(at(isStored ? 2 : 1), `${module} burn`)
        this.#ticket(at(isStored ? 3 : 2), 'message')
        this.#crossings.push(order.crossing!)
        return isStored ? [] : [ticket('wormhole message', order)]
      }
    }
  }

  /** The coin goes into the order, which must hold the required amount. */
  #ordered(
    module: string,
    [type]: readonly string[],
    coinAt: SuiArgument,
    least: bigint,
    told: string,
    terms: Omit<Crossing, 'burnt'>,
  ): Ticket {
    const coin = this.#moved(coinAt)
    if (coin.kind !== 'coin' || coin.type !== type) throw new Abort('TypeMismatch')
    if (coin.amount < least || coin.amount <= terms.fee) throw new Abort('EInsufficientAmount')
    return ticket(`${module} order`, { told, crossing: { ...terms, burnt: coin.amount } })
  }

  /** The arguments except the coin, to be compared. */
  #told(args: readonly SuiArgument[]): string {
    return JSON.stringify(args.map((argument) => [...(this.#pure(argument) ?? [])]))
  }

  #ticket(argument: SuiArgument, name: string): Ticket {
    const value = this.#moved(argument)
    if (value.kind !== 'ticket' || value.name !== name) throw new Abort('TypeMismatch')
    return value
  }

  #open(types: readonly string[], coinAt: SuiArgument, least: bigint, rate: bigint, feeTo: string): SwapBag {
    const coin = this.#moved(coinAt)
    const [sold, bought] = types
    if (coin.kind !== 'coin' || coin.type !== sold || bought === undefined) throw new Abort('TypeMismatch')
    const fee = (coin.amount * rate) / FEE_SCALE
    if (fee > 0n) this.#credit(feeTo, coin.type, fee)
    return { kind: 'context', bought, least, bag: new Map([[coin.type, coin.amount - fee]]) }
  }

  /** At most this much of what the context holds. */
  #swap({ bag }: SwapBag, [a, b]: readonly string[], isForward: boolean, most: bigint): void {
    const [sold, bought] = isForward ? [a!, b!] : [b!, a!]
    const held = bag.get(sold) ?? 0n
    const amount = held < most ? held : most
    if (amount === held) bag.delete(sold)
    else bag.set(sold, held - amount)
    bag.set(bought, (bag.get(bought) ?? 0n) + this.#sold(sold, bought, amount))
  }

  #sold(sold: string, bought: string, amount: bigint): bigint {
    const [tokenIn, tokenOut] = [sold, bought].map((type) => this.#market.find(CHAIN, type))
    const fill = tokenIn && tokenOut && sold !== bought ? this.#prices.swap(tokenIn, tokenOut, amount) : null
    if (fill === null) throw new Abort('ENoPool')
    return fill.amountOut
  }

  /** Unknown code keeps every coin that it receives or may write to. */
  #keep(argument: SuiArgument, owner: string): void {
    const isPlain = argument.kind === 'input' && !this.#own.has(argument.index)
    if (isPlain) return
    const value = this.#place(argument).get()
    if (value === null) throw new Abort('InvalidValueUsage')
    for (const { type, amount } of partsOf(value)) this.#credit(owner, type, amount)
    if (value.kind === 'context') value.bag.clear()
    else if (value.kind !== 'ticket') value.amount = 0n
  }

  #send(value: Value, to: string): void {
    if (value.kind === 'context' || value.kind === 'ticket') throw new Abort('TypeMismatch')
    this.#credit(to, value.type, value.amount)
  }

  #credit(owner: string, type: string, amount: bigint): void {
    const byType = this.#changes.get(owner) ?? new Map<string, bigint>()
    byType.set(type, (byType.get(type) ?? 0n) + amount)
    this.#changes.set(owner, byType)
  }

  #coin(argument: SuiArgument): LedgerCoin {
    const value = this.#place(argument).get()
    if (value?.kind !== 'coin') throw new Abort('TypeMismatch')
    return value
  }

  #context(argument: SuiArgument): SwapBag {
    const value = this.#place(argument).get()
    if (value?.kind !== 'context') throw new Abort('TypeMismatch')
    return value
  }

  /** Moves a value out of its place, which is empty afterwards. */
  #moved(argument: SuiArgument): Value {
    const place = this.#place(argument)
    const value = place.get()
    if (value === null) throw new Abort('InvalidValueUsage')
    place.clear()
    return value
  }

  #place(argument: SuiArgument): { get(): Value | null; clear(): void } {
    if (argument.kind === 'result') {
      const values = this.#results[argument.command]
      if (values === undefined || argument.index >= values.length) throw new Abort('IndexOutOfBounds')
      return { get: () => values[argument.index]!, clear: () => void (values[argument.index] = null) }
    }
    const key = argument.kind === 'gas' ? 'gas' : argument.index
    if (!this.#own.has(key)) throw new Abort('TypeMismatch')
    return { get: () => this.#own.get(key)!, clear: () => void this.#own.set(key, null) }
  }

  #u64(argument: SuiArgument): bigint {
    return this.#number(argument, 8)
  }

  #u32(argument: SuiArgument): bigint {
    return this.#number(argument, 4)
  }

  #number(argument: SuiArgument, length: 1 | 2 | 4 | 8): bigint {
    const number = numberIn(this.#pure(argument), length)
    if (number === null) throw new Abort('InvalidBCSBytes')
    return number
  }

  #bool(argument: SuiArgument): boolean {
    const [byte, ...rest] = this.#pure(argument) ?? []
    if (byte === undefined || byte > 1 || rest.length > 0) throw new Abort('InvalidBCSBytes')
    return byte === 1
  }

  #address(argument: SuiArgument): string {
    const address = addressIn(this.#pure(argument))
    if (address === null) throw new Abort('InvalidBCSBytes')
    return address
  }

  #pure(argument: SuiArgument): Uint8Array | null {
    const found = argument.kind === 'input' ? this.#transaction.inputs[argument.index] : undefined
    return found?.kind === 'pure' ? found.bytes : null
  }
}

function withdraw(coin: LedgerCoin, amount: bigint): LedgerCoin {
  if (coin.amount < amount) throw new Abort('InsufficientCoinBalance')
  coin.amount -= amount
  return { kind: 'coin', type: coin.type, amount }
}

const ticket = (name: string, { told, crossing = null }: Partial<Ticket>): Ticket => ({
  kind: 'ticket',
  name,
  told: told ?? '',
  crossing,
})

function partsOf(value: Value): { type: string; amount: bigint }[] {
  if (value.kind === 'ticket') return []
  if (value.kind !== 'context') return [{ type: value.type, amount: value.amount }]
  return [...value.bag].map(([type, amount]) => ({ type, amount }))
}

/** Coins emptied by unknown code count as gone. */
const isEmpty = (value: Value): boolean =>
  value.kind !== 'ticket' && partsOf(value).every(({ amount }) => amount === 0n)
