/**
 * The values of a Sui transaction, by owner: what a command takes from whom, and who has it afterwards.
 *
 * Source: MystenLabs/sui crates/sui-framework/packages (coin, balance, pay, transfer, kiosk, sui_system) ·
 * proof/sui/packages.ts
 */
import { concatBytes } from '@noble/hashes/utils.js'
import { findMajor } from '../../chains/majors.ts'
import { roleOf } from '../../proof/sui/packages.ts'
import {
  addressIn,
  numberIn,
  type SuiArgument,
  type SuiCall,
  type SuiCommand,
  type SuiTransaction,
} from '../../proof/sui/ptb.ts'
import { MAX_SUI_ROUTER_FEE_PPM } from '../../proof/terms/fees.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import type { Findings } from '../findings.ts'
import { hands, pays, receives, type Stated } from '../ledger.ts'
import coinFunctions from './coin-functions.json' with { type: 'json' }

const id = (digit: string): string => `0x${digit.padStart(64, '0')}`
const LIBRARY = id('1')
const FRAMEWORK = id('2')
const SYSTEM = id('3')
const SUI = `${FRAMEWORK}::sui::SUI`
const COIN = new RegExp(`^${FRAMEWORK}::(?:coin::Coin|balance::Balance)<(.+)>$`)

/** Coins, a balance or an object, as far as the bytes show. */
interface Value {
  /** A coin type; null for an object that may be anything. */
  asset: string | null
  /** Null: as much as there is. */
  amount: bigint | null
  /** Who loses it when it leaves. */
  readonly holder: string
  /** Who gets what is merged into it; null if the bytes do not show it. */
  readonly keeper: string | null
  /** A swap in progress, which has to be confirmed with this much of the bought coin. */
  readonly isSwap?: boolean
  /** There may be more, even of nothing: a swap gave it. */
  isLeast?: boolean
}

/** One value, or those of a vector. */
type Values = readonly Value[]

/** What a function of the framework does with its arguments. */
type Move = (
  values: SuiValues,
  call: SuiCall,
  at: (nth: number) => SuiArgument | undefined,
) => readonly Values[]

/** To the address in the last argument. */
const gives: Move = (values, { args }, at) => values.give(values.of(at(0)), values.address(args.at(-1)))

/** By the words of coin-functions.json. */
const MOVES: Readonly<Record<string, Move>> = {
  zero: (values, { types }) => [[values.own(coinOf(types[0]), 0n)]],
  value: (values) => [[values.own(null, null)]],
  same: (values, _, at) => [values.of(at(0))],
  joins: (values, _, at) => values.join(values.of(at(0)), values.of(at(1))),
  splits: (values, _, at) => [[values.part(values.of(at(0)), at(1))]],
  divides: (values, _, at) => [values.of(at(0)).map((one) => ({ ...one, amount: null }))],
  clears: (values) => values.clear(),
  keeps: (values, _, at) => values.give(values.of(at(0)), values.sender),
  splitsAndKeeps: (values, _, at) => values.give([values.part(values.of(at(0)), at(1))], values.sender),
  splitsAndGives: (values, _, at) =>
    values.give([values.part(values.of(at(0)), at(1))], values.address(at(2))),
  gives,
}

/** The framework's functions for coins and balances. */
const COINS: ReadonlyMap<string, Move> = new Map(
  Object.entries(coinFunctions).map(([name, move]) => [name, MOVES[move]!]),
)

export class SuiValues {
  readonly #transaction: SuiTransaction
  readonly #found: Findings
  readonly #inputs = new Map<number, Value>()
  readonly #results: Values[][] = []
  readonly #gas: Value

  constructor(transaction: SuiTransaction, found: Findings) {
    this.#transaction = transaction
    this.#found = found
    const { gasOwner } = transaction
    this.#gas = { asset: 'native', amount: null, holder: gasOwner, keeper: gasOwner }
  }

  get sender(): string {
    return this.#transaction.sender
  }

  run(where: string, command: SuiCommand): void {
    this.#results.push([...this.#resultsOf(where, command)])
  }

  own = (asset: string | null, amount: bigint | null, holder = this.sender): Value => ({
    asset,
    amount,
    holder,
    keeper: holder,
  })

  /** @returns no results */
  clear(): readonly Values[] {
    this.#found.act('close', 'clears away an empty coin', {}, [])
    return []
  }

  #resultsOf(where: string, command: SuiCommand): readonly Values[] {
    const found = this.#found
    switch (command.kind) {
      case 'call':
        return this.#call(where, command)
      case 'transfer':
        return this.give(
          command.objects.flatMap((object) => this.of(object)),
          this.address(command.to),
        )
      case 'split': {
        const coin = this.of(command.coin)
        return command.amounts.map((amount) => [this.part(coin, amount)])
      }
      case 'merge':
        return this.join(
          this.of(command.into),
          command.coins.flatMap((coin) => this.of(coin)),
        )
      case 'vector':
        return [command.items.flatMap((item) => this.of(item))]
      case 'publish':
        found.act('deploy', 'publishes a package', {}, [])
        found.leave(where, 'what the new package does is its code')
        return [[this.own(null, null)]]
      case 'upgrade':
        found.act('upgrade', 'replaces the code of a package', {}, [])
        found.risk('upgrade', 'The package has other code from then on.')
        return [[this.own(null, null)]]
    }
  }

  /** @returns no results */
  give(values: Values, to: string | null): readonly Values[] {
    const found = this.#found
    for (const value of values) {
      const { asset, amount, holder } = value
      const more = { asset, amount: amount === null ? null : String(amount), from: holder, to }
      const lost = holder === to ? [] : [this.#loses(value, to)]
      found.act('transfer', `sends ${this.#says(value)} to ${this.#nameOf(to)}`, more, lost)
      if (lost.length === 0 || !found.concerns(holder)) continue
      const isNamed = to !== null && found.isNamed(to)
      if (value === this.#gas && !isNamed) found.risk('whole_balance', 'All that pays for gas leaves.')
      // A cap or a kiosk may be anything. It may go to an address that the wallet knows, and the text says
      // that it isn't shown.
      if (asset === null && !isNamed)
        found.leave('object', 'what the object is that is given away, the bytes do not show')
    }
    return []
  }

  /** @returns no results */
  join(into: Values, coins: Values): readonly Values[] {
    const target = into[0] ?? this.#foreign()
    for (const coin of coins) {
      target.asset ??= coin.asset
      if (target.amount !== null) target.amount = coin.amount === null ? null : target.amount + coin.amount
      target.isLeast ||= coin.isLeast === true
      const isOwn = target.keeper === coin.holder
      const words = isOwn
        ? 'joins coins'
        : `joins ${this.#says(coin)} into what ${this.#nameOf(target.keeper)} keeps`
      const lost = isOwn ? [] : [this.#loses(coin, target.keeper)]
      this.#found.act('merge', words, { asset: coin.asset, to: target.keeper }, lost)
    }
    return []
  }

  /** Takes a part out of a coin. */
  part([coin = this.#foreign()]: Values, amount: SuiArgument | undefined): Value {
    const taken = amount === undefined ? null : this.#number(amount)
    if (coin.amount !== null && taken !== null) coin.amount = coin.amount < taken ? 0n : coin.amount - taken
    return this.own(coin.asset, taken, coin.holder)
  }

  #call(where: string, call: SuiCall): readonly Values[] {
    const found = this.#found
    const { args, types } = call
    const name = `${call.package}::${call.name}`
    const at = (nth: number) => args[nth]
    const coins = call.package === FRAMEWORK ? COINS.get(call.name) : undefined
    if (coins !== undefined) {
      // The network checks the type against the arguments.
      for (const argument of args) for (const value of this.of(argument)) value.asset ??= coinOf(types[0])
      return coins(this, call, at)
    }
    const [first] = this.of(args[0])
    switch (name) {
      case `${FRAMEWORK}::transfer::public_transfer`: {
        const coin = COIN.exec(types[0] ?? '')
        if (coin !== null && first !== undefined) first.asset ??= coinOf(coin[1])
        return gives(this, call, at)
      }
      case `${FRAMEWORK}::transfer::public_share_object`:
      case `${FRAMEWORK}::transfer::public_freeze_object`: {
        const isShared = call.name.endsWith('share_object')
        const what = first === undefined ? 'an object' : this.#says(first)
        const words = isShared ? `lets everybody use ${what}` : `freezes ${what} for good`
        const lost = first && [this.#loses(first, null, KNOWN)]
        found.act('authority', words, { program: name }, lost ?? null)
        const reason = isShared ? 'Everybody may use' : 'Nobody can move or change'
        found.risk('authority_change', `${reason} the object from then on.`)
        return []
      }
      case `${FRAMEWORK}::kiosk::list`:
      case `${FRAMEWORK}::kiosk::place_and_list`:
        return this.#list(name, call)
      case `${FRAMEWORK}::kiosk::set_owner`:
      case `${FRAMEWORK}::kiosk::set_owner_custom`: {
        const to = call.name.endsWith('custom') ? this.address(args[2]) : this.sender
        const power = hands(this.sender, first?.keeper ?? null, to, 'ownership', 'owner_change')
        found.act('authority', `gives a kiosk to ${this.#nameOf(to)}`, { program: name, to }, [power])
        return []
      }
      case `${SYSTEM}::sui_system::request_add_stake`: {
        const to = this.address(args[2])
        const staked = this.of(args[1])
        const effects = staked.map(({ asset, amount, holder }) =>
          holder === this.sender
            ? pays(holder, 'native', amount, to, { ...KNOWN, what: 'stake' })
            : pays(holder, asset, amount, this.sender),
        )
        const what = staked.map((one) => this.#says(one)).join()
        const words = `stakes ${what} for the sender at ${this.#nameOf(to)}`
        found.act('stake', words, { program: name, asset: 'native', to }, effects)
        return []
      }
      case `${SYSTEM}::sui_system::request_withdraw_stake`:
        found.act('stake', 'withdraws a stake to the sender', { program: name, asset: 'native' }, [])
        return []
    }
    return this.#routed(where, call) ?? this.#unknown(where, name, call)
  }

  /** @param value  if there may be more than is known, all of it goes */
  #loses = ({ holder, asset, amount, isLeast }: Value, to: string | null, more = {}): Stated =>
    pays(holder, asset, isLeast ? null : amount, to, more)

  /** A step of a swap at a router that the proofs know; null for any other call. */
  #routed(where: string, call: SuiCall): readonly Values[] | null {
    const { args, types } = call
    const swap = this.of(args[0]).find(({ isSwap }) => isSwap)
    switch (roleOf(call.package, call.name)) {
      case 'open':
        return this.#opens(where, call, 2)
      case 'openV2':
        return this.#opens(where, call, 3)
      case 'venue': {
        const isOnly = args.every((argument, i) =>
          i === 0
            ? swap !== undefined
            : this.#isShared(argument) || (this.#pure(argument)?.length ?? 32) < 32,
        )
        return isOnly ? [] : null
      }
      case 'confirm':
        return swap && args.length === 1 ? [[{ ...this.own(swap.asset, swap.amount), isLeast: true }]] : null
      case 'plain':
        return swap ? [[this.own(coinOf(types[0]), this.#number(args[1]!))]] : null
      case 'give':
        return this.give(this.of(args[0]), this.address(args.at(-1)))
      case 'keep':
        return this.give(this.of(args[0]), this.sender)
      default:
        return null
    }
  }

  /** @param limit  the position of the minimum; the coin, the fee and its recipient follow */
  #opens(where: string, { package: router, args, types }: SuiCall, limit: number): readonly Values[] | null {
    const found = this.#found
    const least = this.#number(args[limit]!)
    const [coin] = this.of(args[limit + 1])
    const fee = numberIn(this.#pure(args[limit + 2]), 4)
    const isRead = types.length === 2 && args.length === limit + 4 && coin !== undefined && !coin.isSwap
    if (!isRead || least === null || fee === null || fee > MAX_SUI_ROUTER_FEE_PPM) return null
    const [sold, bought] = types.map(coinOf)
    const { sender } = this
    const isOwn = coin.holder === sender && coin.keeper === sender
    const effects = [
      pays(coin.holder, sold!, coin.amount, isOwn ? router : sender, { isKnown: isOwn }),
      receives(sender, bought!, least),
    ]
    const gives = this.#says({ asset: sold!, amount: coin.amount })
    const gets = this.#says({ asset: bought!, amount: least })
    const more = { program: router, asset: sold!, from: coin.holder, fields: { at_least: String(least) } }
    found.act('swap', `swaps ${gives} for at least ${gets} at a router of Cetus`, more, effects)
    if (bought !== 'native' && findMajor(found.chain.key, bought!) === null)
      found.leave(where, `whether ${bought} is the token that is meant`)
    if (least <= 1n) found.risk('no_minimum', `At least ${gets} arrive.`)
    return [[{ asset: bought!, amount: least, holder: sender, keeper: sender, isSwap: true }]]
  }

  #isShared(argument: SuiArgument): boolean {
    return argument.kind === 'input' && this.#transaction.inputs[argument.index]?.kind === 'shared'
  }

  /** An unknown call: it may keep what it is given, and act as the sender elsewhere. */
  #unknown(where: string, name: string, call: SuiCall): readonly Values[] {
    const found = this.#found
    const given = call.args
      .flatMap((argument) => this.of(argument))
      .filter(({ keeper, holder, amount, isLeast }) => keeper === holder && (amount !== 0n || isLeast))
    // Functions of Move's own library keep nothing, and reach nothing.
    if (call.package === LIBRARY && given.length === 0) return []
    const lost = given.map((one) => this.#loses(one, call.package, KNOWN))
    const all = [...new Set(given.map((one) => this.#says(one)))]
    for (const one of given) one.amount = null
    const words = all.length === 0 ? '' : `, and hands it ${all.join(', ')}`
    found.act('call', `calls ${name}${words}`, { program: name }, lost)
    const why = `${name} is not known here, and may keep what it is given`
    found.leave(where, why, argumentBytes(this.#transaction, call))
    if (lost.some(({ holder }) => found.concerns(holder)))
      found.risk('unknown_call', `${name} gets objects of the wallet's.`)
    else if (found.concerns(this.sender))
      found.risk(
        'unknown_call',
        `${name} may do anything in the wallet's name that other contracts let it do.`,
      )
    return []
  }

  #list(name: string, { args, types }: SuiCall): readonly Values[] {
    const price = this.#number(args.at(-1)!)
    const asset = types[0] ?? null
    const effects = [
      pays(this.sender, asset, null, null, KNOWN),
      ...(price === null ? [] : [receives(this.sender, 'native', price)]),
    ]
    const said =
      price === null ? 'a price that the bytes do not show' : this.#says({ asset: 'native', amount: price })
    const more = { program: name, asset, amount: price === null ? null : String(price) }
    this.#found.act('order', `offers an object for ${said}`, more, effects)
    if (price === null || price <= 1n) this.#found.risk('order_for_nothing', `The price is ${said}.`)
    else this.#found.risk('market_price', `The price is ${said}.`)
    return []
  }

  /** @returns nothing if it is neither an object nor a coin */
  of(argument: SuiArgument | undefined): Values {
    if (argument?.kind === 'gas') return [this.#gas]
    if (argument?.kind === 'result') {
      const results = this.#results[argument.command]
      // A call that is not known may return anything, at any place.
      return results === undefined ? [] : (results[argument.index] ??= [this.#foreign()])
    }
    const input = argument && this.#transaction.inputs[argument.index]
    if (input === undefined || input.kind === 'pure') return []
    const read = (): Value => {
      if (input.kind === 'shared') return { ...this.#foreign(), keeper: input.id }
      if (input.kind !== 'withdrawal') return this.own(null, null)
      const holder = input.from === 'sender' ? this.sender : this.#transaction.gasOwner
      return this.own(coinOf(input.type), input.amount, holder)
    }
    return [getOrInsert(this.#inputs, argument!.index, read)]
  }

  /** What another package returns: the wallet's, or a part of something that is not. */
  #foreign = (): Value => ({ asset: null, amount: null, holder: this.sender, keeper: null })

  #says = (value: Pick<Value, 'asset' | 'amount' | 'isLeast'>): string => {
    if (value === this.#gas) return 'all SUI that pays for gas'
    const { asset, amount, isLeast } = value
    const said = this.#found.says({ asset, amount: amount === null ? null : String(amount) })
    return isLeast && amount !== null ? `at least ${said}` : said
  }
  #nameOf = (to: string | null): string =>
    to === null ? 'an address that the bytes do not show' : this.#found.nameOf(to)

  #pure(argument: SuiArgument | undefined): Uint8Array | null {
    if (argument?.kind !== 'input') return null
    const input = this.#transaction.inputs[argument.index]
    return input?.kind === 'pure' ? input.bytes : null
  }

  address = (argument: SuiArgument | undefined): string | null => addressIn(this.#pure(argument))
  #number = (argument: SuiArgument): bigint | null => numberIn(this.#pure(argument), 8)
}

const KNOWN = { isKnown: true } as const

const coinOf = (type: string | undefined): string | null => (type === SUI ? 'native' : (type ?? null))

/** The pure arguments of a call, joined: everything that the bytes say about the request. */
function argumentBytes({ inputs }: SuiTransaction, { args }: SuiCall): Uint8Array {
  const pure = args.flatMap((argument) => {
    const input = argument.kind === 'input' ? inputs[argument.index] : undefined
    return input?.kind === 'pure' ? [input.bytes] : []
  })
  return concatBytes(...pure)
}
