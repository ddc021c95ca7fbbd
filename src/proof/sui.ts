/**
 * Proof of a Sui transaction that a provider built: it is the BCS of one whole
 * TransactionData, a programmable transaction that `from` sends and pays for,
 * and every value in it is followed from where it comes from to where it goes.
 *
 * The wallet's own coins, which are the gas coin and the objects among the
 * inputs, are only split, by amounts that stand in the bytes and add up to no
 * more than the input, or merged with one another. What was split off may go
 * into calls of listed functions; whatever they give back may go into others,
 * or to the wallet. So the bytes bound what leaves. How much comes back is
 * another matter:
 * - Cetus's V3 router, its V2 and 7k's settlement check a minimum on the chain.
 *   Where the check is there, its minimum is proved, and what it checked is
 *   followed to the wallet.
 * - Otherwise the minimum is the provider's word until the transaction is
 *   executed; and what a Move function does with a coin is its code, which the
 *   bytes do not show. So all of it has to be executed.
 *
 * Source: §4.6, §4.7 · MystenLabs/sui crates/sui-types/src/transaction.rs
 */
import { MAX_SUI_GAS_BUDGET, MAX_SUI_GAS_PRICE, MAX_SUI_ROUTER_FEE_PPM } from './fees.ts'
import { type Role, roleOf } from './sui-packages.ts'
import {
  addressIn,
  numberIn,
  parseSuiTransaction,
  type SuiArgument,
  type SuiCall,
  type SuiCommand,
  type SuiTransaction,
} from './sui-ptb.ts'
import { type Proof, refuseMaterial } from './verification.ts'

/** max_tx_size_bytes of the protocol configuration. */
const MAX_BYTES = 128 * 1024
const ADDRESS_BYTES = 32
const NOBODY = `0x${'0'.repeat(2 * ADDRESS_BYTES)}`

/** What the transaction was asked for. Addresses and coin types canonical. */
export interface SuiClaim {
  readonly from: string
  readonly coinIn: SuiCoin
  readonly amountIn: bigint
  /** Base units of what is bought, of at least that much. */
  readonly minOut: bigint
  readonly out: { readonly kind: 'swap'; readonly coin: SuiCoin } | SuiCrossChain
}

export interface SuiCoin {
  /** The coin type, SUI's own for the native coin. */
  readonly address: string
  readonly isNative: boolean
}

/** Burnt here, minted there. */
export interface SuiCrossChain {
  readonly kind: 'cross-chain'
  /** The coin type that is burnt. */
  readonly burnt: string
  /** Circle's number for the chain where it is minted. */
  readonly domain: bigint
  /** Whom it is minted to, as 32 bytes of hex. */
  readonly recipient: string
}

const CHECKS = [
  'encoding',
  'size',
  'parse',
  'kind',
  'sender',
  'gas_owner',
  'gas',
  'command',
  'input',
  'package',
  'coins',
  'amount',
  'recipient',
  'fee',
] as const

/** @throws GatewayError  material_refused, with the rule: one of the checks, sent_token, received_token or minimum */
export function proveSui(base64: string, claim: SuiClaim): Proof {
  // Serialized Transaction JSON is a builder's format: it is not what is signed.
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.toString('base64') !== base64) throw refuseMaterial('encoding')
  if (bytes.length > MAX_BYTES) throw refuseMaterial('size')
  const transaction = parseSuiTransaction(bytes)
  if (transaction === null) throw refuseMaterial('parse')
  if (transaction === 'system') throw refuseMaterial('kind')
  proveFrame(transaction, claim.from)

  const found = new Flow(transaction, claim).prove()
  const { from, coinIn, amountIn, minOut, out } = claim
  const { gasBudget, commands } = transaction
  return {
    checks: [...CHECKS, ...found.checks],
    ...(found.hasMinimum ? {} : { stated: ['minimum'] }),
    agreed: {
      spends: { token: tokenOf(coinIn), atMost: amountIn },
      receives: out.kind === 'swap' ? { token: tokenOf(out.coin), atLeast: minOut } : null,
      atMostNativeFees: gasBudget,
    },
    sender: from,
    bytes: bytes.length,
    gasBudget: gasBudget.toString(),
    calls: commands.flatMap((command) =>
      command.kind === 'call' ? `${command.package}::${command.name}` : [],
    ),
    recipients: [...found.recipients],
  }
}

const tokenOf = ({ address, isNative }: SuiCoin): string | null => (isNative ? null : address)

/** Who sends, who pays, how much for gas, and nothing that leaves code behind. */
function proveFrame(transaction: SuiTransaction, from: string): void {
  const { sender, gasOwner, gasPrice, gasBudget, commands, inputs } = transaction
  if (sender !== from) throw refuseMaterial('sender')
  // A sponsor would have to sign as well, and could be anybody.
  if (gasOwner !== from) throw refuseMaterial('gas_owner')
  if (gasBudget > MAX_SUI_GAS_BUDGET || gasPrice > MAX_SUI_GAS_PRICE) throw refuseMaterial('gas')
  if (commands.some(({ kind }) => kind === 'publish' || kind === 'upgrade')) throw refuseMaterial('command')
  // Neither is needed for a swap: what was sent to an object of the wallet's, and funds beside its coins.
  if (inputs.some(({ kind }) => kind === 'receiving' || kind === 'withdrawal')) throw refuseMaterial('input')
}

/**
 * Where a value comes from.
 * - `wallet`: a coin that was the wallet's before, with all that is in it
 * - `part`: split off one of those, and so within the input
 * - `made`: what a call gave, which no longer counts as the wallet's
 */
type Origin = 'wallet' | 'part' | 'made' | 'shared' | 'pure'

/** One value that a command gave, by the command and its place among the results. */
type Slot = `${number}.${number}`

const slotOf = ({ command, index }: Extract<SuiArgument, { kind: 'result' }>): Slot => `${command}.${index}`

interface Found {
  readonly checks: readonly string[]
  readonly hasMinimum: boolean
  readonly recipients: ReadonlySet<string>
}

/** How many values a command gives; null where only the code knows. */
function resultsOf(command: SuiCommand): number | null {
  if (command.kind === 'split') return command.amounts.length
  if (command.kind === 'call') return null
  return command.kind === 'vector' ? 1 : 0
}

/** The values of one transaction, command after command. */
class Flow {
  readonly #transaction: SuiTransaction
  readonly #claim: SuiClaim
  /** What each command gave, for those before the one at hand. */
  readonly #origins: Origin[] = []
  /** How many results a command gave; null where only the code knows. */
  readonly #counts: (number | null)[] = []
  /** Pure inputs that were given to code, which may have written to them. */
  readonly #touched = new Set<number>()
  #spent = 0n
  /** Split off directly, by slot. */
  readonly #amounts = new Map<Slot, bigint>()
  /** What each context of a swap will check. */
  readonly #limits = new Map<Slot, bigint>()
  /** What each coin was checked to hold at least. */
  readonly #checked = new Map<Slot, bigint>()
  /** Coins that reached whom they are for, or were put to another use. */
  readonly #arrived = new Set<Slot>()
  readonly #strayed = new Set<Slot>()
  readonly #burnt = new Set<Slot>()
  readonly #recipients = new Set<string>()
  /** Every call that takes what was split off names the coin type in the place where it says which. */
  #isTyped = true

  constructor(transaction: SuiTransaction, claim: SuiClaim) {
    this.#transaction = transaction
    this.#claim = claim
  }

  prove(): Found {
    const { minOut, out } = this.#claim
    for (const command of this.#transaction.commands) {
      const origin = this.#run(command)
      this.#origins.push(origin)
      this.#counts.push(resultsOf(command))
    }
    if (out.kind === 'cross-chain' && this.#burnt.size === 0) throw refuseMaterial('package')
    const proved = out.kind === 'cross-chain' ? this.#burntAtLeast() : this.#arrivedAtLeast()
    if (proved !== null && proved < minOut) throw refuseMaterial('minimum')
    return {
      checks: [...(this.#isTyped ? ['sent_token'] : []), ...(proved === null ? [] : ['minimum'])],
      hasMinimum: proved !== null,
      recipients: this.#recipients,
    }
  }

  /** @returns null where no check on the chain bounds what reaches the wallet */
  #arrivedAtLeast(): bigint | null {
    const whole = [...this.#checked].filter(([slot]) => this.#arrived.has(slot) && !this.#strayed.has(slot))
    return whole.length === 0 ? null : whole.reduce((sum, [, limit]) => sum + limit, 0n)
  }

  #burntAtLeast(): bigint | null {
    let sum = 0n
    for (const slot of this.#burnt) {
      const amount = this.#strayed.has(slot)
        ? undefined
        : (this.#checked.get(slot) ?? this.#amounts.get(slot))
      if (amount === undefined) return null
      sum += amount
    }
    return sum
  }

  #run(command: SuiCommand): Origin {
    switch (command.kind) {
      case 'split':
        return this.#split(command.coin, command.amounts)
      case 'merge': {
        const isOwn = this.#originOf(command.into) === 'wallet'
        if (!isOwn) this.#stray(command.into)
        for (const coin of command.coins) {
          // What is merged into a coin of the wallet's has arrived; a coin of the wallet's only goes there.
          if (this.#originOf(coin) === 'wallet' && !isOwn) throw refuseMaterial('coins')
          if (isOwn) this.#arrive(coin)
          else this.#stray(coin)
        }
        return 'made'
      }
      case 'transfer':
        this.#give(command.to)
        for (const object of command.objects) {
          this.#originOf(object)
          this.#arrive(object)
        }
        return 'made'
      case 'vector': {
        const origins = command.items.map((item) => this.#handOver(item))
        return origins.includes('part') ? 'part' : 'made'
      }
      case 'call':
        return this.#call(command)
      default:
        throw refuseMaterial('command')
    }
  }

  #split(coin: SuiArgument, amounts: readonly SuiArgument[]): Origin {
    const { coinIn, amountIn } = this.#claim
    const origin = this.#originOf(coin)
    if (origin !== 'wallet') {
      this.#stray(coin)
      for (const amount of amounts) this.#originOf(amount)
      return origin
    }
    if (coin.kind === 'gas' && !coinIn.isNative) throw refuseMaterial('coins')
    for (const [index, argument] of amounts.entries()) {
      const amount = numberIn(this.#pure(argument), 8)
      if (amount === null) throw refuseMaterial('amount')
      this.#spent += amount
      this.#amounts.set(`${this.#origins.length}.${index}`, amount)
    }
    if (this.#spent > amountIn) throw refuseMaterial('amount')
    return 'part'
  }

  #call(call: SuiCall): Origin {
    const role = roleOf(call.package, call.name)
    if (role === null) throw refuseMaterial('package')
    const origins = call.args.map((argument) => this.#originOf(argument))
    // With a coin of its own the wallet would give all that is in it.
    if (origins.includes('wallet')) throw refuseMaterial('coins')
    if (origins.includes('part')) this.#proveSent(call, role)
    switch (role) {
      case 'open':
        this.#open(call, [1, 2, 3, 4, 5])
        break
      case 'openV2':
        this.#open(call, [2, 3, 4, 5, 6])
        break
      case 'confirm':
        this.#confirm(call)
        break
      case 'checkCoin':
        this.#check(call, 0, 1, 0)
        break
      case 'settle':
        this.#settle(call)
        break
      case 'keep':
        if (call.args.length !== 1) throw refuseMaterial('parse')
        this.#recipients.add(this.#claim.from)
        this.#arrive(call.args[0]!)
        break
      case 'give':
        if (call.args.length !== 2) throw refuseMaterial('parse')
        this.#give(call.args[1]!)
        this.#arrive(call.args[0]!)
        break
      case 'burn':
        this.#burn(call)
        break
      default:
        if (role === 'venue' && origins.includes('part')) throw refuseMaterial('coins')
        this.#handAll(call)
    }
    return origins.includes('part') && role === 'plain' ? 'part' : 'made'
  }

  /** Whoever takes part of the wallet's coins must say that they are what is sold. */
  #proveSent({ types }: SuiCall, role: Role): void {
    const { address } = this.#claim.coinIn
    if (!types.includes(address)) throw refuseMaterial('sent_token')
    // Of two types the first is the coin's only where that is known.
    const isFirst = role === 'open' || role === 'openV2' || types.length === 1
    if (isFirst && types[0] !== address) throw refuseMaterial('sent_token')
    if (!isFirst) this.#isTyped = false
  }

  /** new_swap_context: (id, expected, limit, coin, fee rate, fee recipient), after a maximum in its second version. */
  #open(call: SuiCall, [expected, limit, coin, rate, recipient]: readonly number[]): void {
    const { args, types } = call
    if (args.length !== recipient! + 1 || types.length !== 2) throw refuseMaterial('parse')
    if (types[0] !== this.#claim.coinIn.address) throw refuseMaterial('sent_token')
    if (types[1] !== this.#boughtType()) throw refuseMaterial('received_token')
    const [least, fee] = [numberIn(this.#pure(args[limit!]!), 8), numberIn(this.#pure(args[rate!]!), 4)]
    if (least === null || numberIn(this.#pure(args[expected!]!), 8) === null) throw refuseMaterial('minimum')
    if (fee === null || fee > MAX_SUI_ROUTER_FEE_PPM) throw refuseMaterial('fee')
    // Whoever it is gets no more than the fee; the minimum is checked behind it.
    if (addressIn(this.#pure(args[recipient!]!)) === null) throw refuseMaterial('fee')
    this.#handOver(args[coin!]!)
    this.#limits.set(`${this.#origins.length}.0`, least)
  }

  /** confirm_swap asserts the context's limit, and gives all that is in it. */
  #confirm({ args, types }: SuiCall): void {
    const [context] = args
    if (args.length !== 1 || types.length !== 1) throw refuseMaterial('parse')
    if (types[0] !== this.#boughtType()) throw refuseMaterial('received_token')
    if (context!.kind !== 'result') throw refuseMaterial('coins')
    const limit = this.#limits.get(slotOf(context!))
    if (limit === undefined) return
    // A context is confirmed once: it has gone into this call.
    this.#limits.delete(slotOf(context!))
    this.#checked.set(`${this.#origins.length}.0`, limit)
  }

  /** A function that aborts where the coin holds less than the minimum. */
  #check(call: SuiCall, coinAt: number, minimumAt: number, typeAt: number): void {
    const { args, types } = call
    const [coin, minimum] = [args[coinAt], args[minimumAt]]
    if (coin === undefined || minimum === undefined) throw refuseMaterial('parse')
    const least = numberIn(this.#pure(minimum), 8)
    if (least === null) throw refuseMaterial('minimum')
    if (types[typeAt] !== this.#boughtType()) throw refuseMaterial('received_token')
    if (coin.kind === 'result' && this.#originOf(coin) === 'made') this.#checked.set(slotOf(coin), least)
  }

  /** settle: (config, vault, amount in, coin, minimum, expected, partner, commission, 0). */
  #settle(call: SuiCall): void {
    const { args, types } = call
    if (args.length !== 9 || types.length !== 2) throw refuseMaterial('parse')
    const commission = args.slice(7).map((argument) => numberIn(this.#pure(argument), 8))
    if (commission.some((share) => share !== 0n)) throw refuseMaterial('fee')
    for (const argument of [args[2]!, args[5]!])
      if (this.#pure(argument) === null) throw refuseMaterial('parse')
    const partner = this.#pure(args[6]!)
    if (partner === null && args[6]!.kind !== 'result') throw refuseMaterial('fee')
    this.#check(call, 3, 4, 1)
  }

  /** deposit_for_burn: (coin, domain, recipient, and four shared objects). */
  #burn({ args, types }: SuiCall): void {
    const { out } = this.#claim
    if (out.kind !== 'cross-chain') throw refuseMaterial('package')
    if (args.length !== 7 || types.length !== 1) throw refuseMaterial('parse')
    if (types[0] !== out.burnt) throw refuseMaterial('sent_token')
    if (numberIn(this.#pure(args[1]!), 4) !== out.domain) throw refuseMaterial('destination_chain')
    const recipient = addressIn(this.#pure(args[2]!))
    if (recipient !== out.recipient) throw refuseMaterial('recipient')
    this.#recipients.add(recipient)
    const [coin] = args
    if (coin!.kind !== 'result') throw refuseMaterial('coins')
    this.#burnt.add(slotOf(coin!))
  }

  #boughtType(): string {
    const { out } = this.#claim
    return out.kind === 'cross-chain' ? out.burnt : out.coin.address
  }

  /** The address that something is given to must be the wallet's. */
  #give(to: SuiArgument): void {
    const address = addressIn(this.#pure(to))
    if (address !== this.#claim.from) throw refuseMaterial('recipient')
    this.#recipients.add(address)
  }

  /** To code that is known by its name only. */
  #handAll({ args }: SuiCall): void {
    for (const argument of args) {
      this.#handOver(argument)
      if (argument.kind !== 'input') continue
      const input = this.#transaction.inputs[argument.index]!
      if (input.kind !== 'pure') continue
      this.#touched.add(argument.index)
      // A place for somebody's address: of none but the wallet, or of nobody.
      const address = addressIn(input.bytes)
      const isHarmless = address === this.#claim.from || address === NOBODY
      if (input.bytes.length >= ADDRESS_BYTES && !isHarmless) throw refuseMaterial('recipient')
    }
  }

  /** A value goes into something that is not its destination. */
  #handOver(argument: SuiArgument): Origin {
    const origin = this.#originOf(argument)
    if (origin === 'wallet') throw refuseMaterial('coins')
    this.#stray(argument)
    return origin
  }

  #arrive(argument: SuiArgument): void {
    if (argument.kind === 'result') this.#arrived.add(slotOf(argument))
  }

  #stray(argument: SuiArgument): void {
    if (argument.kind === 'result') this.#strayed.add(slotOf(argument))
  }

  #originOf(argument: SuiArgument): Origin {
    if (argument.kind === 'gas') return 'wallet'
    if (argument.kind === 'result') {
      const { command, index } = argument
      const origin = this.#origins[command]
      const count = this.#counts[command] ?? Number.POSITIVE_INFINITY
      if (origin === undefined || index >= count) throw refuseMaterial('parse')
      return origin
    }
    const input = this.#transaction.inputs[argument.index]
    if (input === undefined) throw refuseMaterial('parse')
    if (input.kind === 'pure' || input.kind === 'shared') return input.kind
    return 'wallet'
  }

  /** The bytes of a pure input that no code has written to. @returns null for every other argument */
  #pure(argument: SuiArgument): Uint8Array | null {
    if (argument.kind !== 'input' || this.#touched.has(argument.index)) return null
    const input = this.#transaction.inputs[argument.index]
    return input?.kind === 'pure' ? input.bytes : null
  }
}
