/** Follows every value of a Sui transaction from its origin to its destination: the proof's main part, see sui.ts. */

import { minimumFacts } from '../cross-chain/lifi/terms.ts'
import { BPS, LIFI_FEE_BPS, MAX_SUI_MESSAGE_FEE, MAX_SUI_ROUTER_FEE_PPM, within } from '../terms/fees.ts'
import { refuseMaterial } from '../terms/verification.ts'
import {
  ADDRESS_BYTES,
  isWorth,
  SUI_ZERO_ADDRESS,
  type SuiClaim,
  type SuiCrossChain,
  worthOf,
} from './claim.ts'
import { MctpOrder, mctpCall } from './mctp.ts'
import { mctpTerms } from './mctp-terms.ts'
import { type Role, roleOf } from './packages.ts'
import {
  addressIn,
  numberIn,
  type SuiArgument,
  type SuiCall,
  type SuiCommand,
  type SuiTransaction,
} from './ptb.ts'

/**
 * The origin of a value.
 * - `wallet`: a coin that the wallet owned before, with its full balance, or one that was just redeemed
 * - `part`: split off a wallet coin, or a redeemed coin that was passed whole, and so within the input
 * - `made`: returned by a call; it no longer counts as the wallet's
 */
type ValueOrigin = 'wallet' | 'part' | 'made' | 'shared' | 'pure'

/** One result of a command, by the command's index and the result's index. */
type Slot = `${number}.${number}`

const slotOf = ({ command, index }: Extract<SuiArgument, { kind: 'result' }>): Slot => `${command}.${index}`

/** The number of a command's results; null if only the Move code defines it. */
function resultsOf(command: SuiCommand): number | null {
  if (command.kind === 'split') return command.amounts.length
  if (command.kind === 'call') return null
  return command.kind === 'vector' ? 1 : 0
}

/** Follows the values of one transaction, command by command. */
export class ValueFlow {
  readonly #transaction: SuiTransaction
  readonly #claim: SuiClaim
  /** The origin of each earlier command's results. */
  readonly #origins: ValueOrigin[] = []
  /** The result count of each earlier command; null if only the Move code defines it. */
  readonly #counts: (number | null)[] = []
  /** Pure inputs that were passed to code, which may have changed them. */
  readonly #touched = new Set<number>()
  #spent = 0n
  /** The rest of each redeemed coin after it was passed on in part; null if it was merged with others. */
  readonly #redeemed = new Map<Slot, bigint | null>()
  /** Amounts split off a wallet coin, by slot. */
  readonly #amounts = new Map<Slot, bigint>()
  /** The minimum that each open swap context will check. */
  readonly #limits = new Map<Slot, bigint>()
  /** The minimum that a check on chain proved for a coin. */
  readonly #checked = new Map<Slot, bigint>()
  /** Coins that reached the wallet. */
  readonly #arrived = new Set<Slot>()
  /** Coins that were put to another use. */
  readonly #strayed = new Set<Slot>()
  readonly #burnt = new Set<Slot>()
  /** The parts split off the gas coin if another coin is sold: they pay for a message, or come back. */
  readonly #gasParts = new Set<Slot>()
  /** Mayan's order; null within Sui. */
  readonly #mctp: MctpOrder | null
  readonly #recipients = new Set<string>()
  /** Whether every call that takes a split coin names its type in a position whose meaning is known. */
  #isTyped = true

  constructor(transaction: SuiTransaction, claim: SuiClaim) {
    this.#transaction = transaction
    this.#claim = claim
    const { out } = claim
    this.#mctp = out.kind === 'swap' ? null : new MctpOrder(out.packages, out.burnt, out.burntMetadata)
  }

  prove() {
    const { minOut, out } = this.#claim
    for (const command of this.#transaction.commands) {
      const origin = this.#run(command)
      this.#origins.push(origin)
      this.#counts.push(resultsOf(command))
    }
    const messageFee = this.#messageFee()
    const sent = this.#isTyped ? ['sent_token'] : []
    if (out.kind === 'cross-chain' && this.#mctp?.coin)
      return this.#ordered(this.#mctp, out, messageFee, sent)
    if (out.kind === 'cross-chain' && this.#burnt.size === 0) throw refuseMaterial('package')
    const proved = out.kind === 'cross-chain' ? this.#burntAtLeast() : this.#arrivedAtLeast()
    if (proved !== null && proved < minOut) throw refuseMaterial('minimum')
    const crossed = out.kind === 'cross-chain' ? ['destination_chain', 'received_token'] : []
    return {
      checks: [...sent, ...crossed, ...(proved === null ? [] : ['minimum'])],
      stated: proved === null ? ['minimum'] : [],
      recipients: this.#recipients,
      /** MIST that a message to another chain costs beyond the input. */
      messageFee,
      facts: {},
    }
  }

  /** What Mayan's order says of the coin that it was given. */
  #ordered(mctp: MctpOrder, out: SuiCrossChain, messageFee: bigint, sent: readonly string[]) {
    if (!mctp.isComplete || this.#burnt.size > 0) throw refuseMaterial('bridge_order')
    const coin = slotOf(mctp.coin as Extract<SuiArgument, { kind: 'result' }>)
    if (this.#strayed.has(coin) || this.#gasParts.has(coin)) throw refuseMaterial('coins')
    this.#burnt.add(coin)
    const { minOut } = this.#claim
    const found = mctpTerms(mctp, { ...out, minOut }, this.#burntAtLeast())
    const { least, bindsAmount, recipient, checks, stated } = found
    this.#recipients.add(recipient)
    const isKept = bindsAmount || this.#isWhole(coin) || isWorth(least, minOut, out)
    return {
      checks: [...sent, ...checks],
      stated: [...stated, ...(isKept ? [] : ['source_minimum'])],
      recipients: this.#recipients,
      messageFee,
      facts: { bridge: `Mayan ${mctp.kind}`, ...minimumFacts(found) },
    }
  }

  /**
   * An order for another token does not bind what is sent across: with less it is never filled, and the rest
   * of the split amount could be lost.
   * @returns false for a coin that was not split off the input itself
   * @throws GatewayError  rule `amount`
   */
  #isWhole(coin: Slot): boolean {
    const amount = this.#amounts.get(coin)
    if (amount === undefined) return false
    if (amount * BPS < this.#claim.amountIn * (BPS - LIFI_FEE_BPS)) throw refuseMaterial('amount')
    return true
  }

  /** The input is bounded without what pays for a message. */
  #messageFee(): bigint {
    const { amountIn } = this.#claim
    const coin = this.#mctp?.messageFee ?? null
    const slot = coin?.kind === 'result' ? slotOf(coin) : null
    for (const part of this.#gasParts) {
      const isBack = this.#arrived.has(part) && !this.#strayed.has(part)
      if (part !== slot && !isBack) throw refuseMaterial('coins')
    }
    const fee = slot === null ? 0n : (this.#amounts.get(slot) ?? 0n)
    if (fee > within(MAX_SUI_MESSAGE_FEE, worthOf(this.#claim))) throw refuseMaterial('fees')
    const isApart = slot !== null && this.#gasParts.has(slot)
    if (this.#spent - (isApart ? 0n : fee) > amountIn) throw refuseMaterial('amount')
    return fee
  }

  /** @returns null if no check on chain bounds what reaches the wallet */
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

  #run(command: SuiCommand): ValueOrigin {
    switch (command.kind) {
      case 'split':
        return this.#split(command.coin, command.amounts)
      case 'merge': {
        const isOwn = this.#originOf(command.into) === 'wallet'
        if (!isOwn) this.#stray(command.into)
        for (const coin of [command.into, ...command.coins]) this.#blur(coin)
        for (const coin of command.coins) {
          // A coin merged into a wallet coin has arrived. A wallet coin may be merged only into another one.
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

  #split(coin: SuiArgument, amounts: readonly SuiArgument[]): ValueOrigin {
    const { coinIn } = this.#claim
    const origin = this.#originOf(coin)
    if (origin !== 'wallet') {
      this.#stray(coin)
      for (const amount of amounts) this.#originOf(amount)
      return origin
    }
    const isApart = coin.kind === 'gas' && !coinIn.isNative
    if (isApart && this.#mctp === null) throw refuseMaterial('coins')
    for (const [index, argument] of amounts.entries()) {
      const amount = numberIn(this.#pure(argument), 8)
      if (amount === null) throw refuseMaterial('amount')
      const slot: Slot = `${this.#origins.length}.${index}`
      if (isApart) this.#gasParts.add(slot)
      else this.#spend(amount)
      this.#amounts.set(slot, amount)
      const left = coin.kind === 'result' ? this.#redeemed.get(slotOf(coin)) : undefined
      if (typeof left !== 'bigint') continue
      if (left < amount) throw refuseMaterial('amount')
      this.#redeemed.set(slotOf(coin as Extract<SuiArgument, { kind: 'result' }>), left - amount)
    }
    return 'part'
  }

  #spend(amount: bigint): void {
    this.#spent += amount
    // The price of a message comes off at the end.
    if (this.#spent > this.#claim.amountIn + (this.#mctp === null ? 0n : MAX_SUI_MESSAGE_FEE))
      throw refuseMaterial('amount')
  }

  /**
   * A redeemed coin that is merged holds an amount that only the chain knows, and counts as a wallet coin.
   */
  #blur(coin: SuiArgument): void {
    if (coin.kind === 'result' && this.#redeemed.has(slotOf(coin))) this.#redeemed.set(slotOf(coin), null)
  }

  /** A redeemed coin that is passed whole gives its remaining part. */
  #passWhole(argument: SuiArgument): void {
    if (argument.kind !== 'result') return
    const slot = slotOf(argument)
    const left = this.#redeemed.get(slot)
    if (left === undefined) return
    if (left === null) throw refuseMaterial('coins')
    this.#redeemed.delete(slot)
    this.#spend(left)
    this.#amounts.set(slot, left)
  }

  /** redeem_funds: (withdrawal), which the frame has bounded. The chain redeems it once and whole. */
  #redeem({ args, types }: SuiCall): ValueOrigin {
    const [argument] = args
    const input = argument?.kind === 'input' ? this.#transaction.inputs[argument.index] : undefined
    if (args.length !== 1 || types.length !== 1 || input?.kind !== 'withdrawal') throw refuseMaterial('parse')
    if (types[0] !== input.type) throw refuseMaterial('sent_token')
    this.#redeemed.set(`${this.#origins.length}.0`, input.amount)
    return 'part'
  }

  #call(call: SuiCall): ValueOrigin {
    const step = this.#claim.out.kind === 'swap' ? null : mctpCall(call, this.#claim.out.packages)
    const role = step === null ? roleOf(call.package, call.name, this.#claim.upgrades) : null
    if (step === null && role === null) throw refuseMaterial('package')
    if (role === 'redeem') return this.#redeem(call)
    if (role !== 'give' && role !== 'keep') for (const argument of call.args) this.#passWhole(argument)
    if (role === null) return this.#order(call, step!)
    const origins = call.args.map((argument) => this.#originOf(argument))
    // Passing a wallet coin would hand over its full balance, unless it is to the wallet.
    if (origins.includes('wallet') && role !== 'give' && role !== 'keep') throw refuseMaterial('coins')
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
      case 'plain':
      case 'venue':
      case 'swap':
        if (role === 'venue' && origins.includes('part')) throw refuseMaterial('coins')
        this.#handAll(call)
        break
      default:
        // A row of move-roles.json that names no role.
        throw refuseMaterial('package')
    }
    return origins.includes('part') && role === 'plain' ? 'part' : 'made'
  }

  /** A call of Mayan's order. Its tickets aren't coins, and no other function takes them. */
  #order(call: SuiCall, step: Exclude<ReturnType<typeof mctpCall>, null>): ValueOrigin {
    if (step === 'log') {
      // It takes numbers, an address for a record, and a coin's description by reference.
      if (call.args.some((argument) => argument.kind !== 'input')) throw refuseMaterial('coins')
      return 'made'
    }
    const origins = call.args.map((argument) => this.#originOf(argument))
    if (step.takes.includes('coin') && origins.includes('part'))
      this.#proveSent({ ...call, types: call.types.slice(0, 1) }, 'burn')
    this.#mctp!.take(call, step, this.#origins.length, {
      pure: (argument) => this.#pure(argument),
      object: (argument) => {
        const input = argument.kind === 'input' ? this.#transaction.inputs[argument.index] : undefined
        return input?.kind === 'owned' || input?.kind === 'shared' ? input.id : null
      },
    })
    return 'made'
  }

  /** A call that takes a split coin must name the sold coin's type. */
  #proveSent({ types }: SuiCall, role: Role): void {
    const { address } = this.#claim.coinIn
    if (!types.includes(address)) throw refuseMaterial('sent_token')
    // With two types, only functions whose signature is known take the sold coin's type first.
    const isFirst = role === 'open' || role === 'openV2' || types.length === 1
    if (isFirst && types[0] !== address) throw refuseMaterial('sent_token')
    if (!isFirst) this.#isTyped = false
  }

  /**
   * new_swap_context: (id, expected, limit, coin, fee rate, fee recipient); version 2 has a maximum before
   * these.
   */
  #open(call: SuiCall, [expected, limit, coin, rate, recipient]: readonly number[]): void {
    const { args, types } = call
    if (args.length !== recipient! + 1 || types.length !== 2) throw refuseMaterial('parse')
    if (types[0] !== this.#claim.coinIn.address) throw refuseMaterial('sent_token')
    if (types[1] !== this.#boughtType()) throw refuseMaterial('received_token')
    const [least, fee] = [numberIn(this.#pure(args[limit!]!), 8), numberIn(this.#pure(args[rate!]!), 4)]
    if (least === null || numberIn(this.#pure(args[expected!]!), 8) === null) throw refuseMaterial('minimum')
    if (fee === null || fee > MAX_SUI_ROUTER_FEE_PPM) throw refuseMaterial('fee')
    // Any fee recipient is acceptable: it gets no more than the fee, and the minimum is checked afterwards.
    if (addressIn(this.#pure(args[recipient!]!)) === null) throw refuseMaterial('fee')
    this.#handOver(args[coin!]!)
    this.#limits.set(`${this.#origins.length}.0`, least)
  }

  /** confirm_swap asserts the context's limit and returns everything in the context. */
  #confirm({ args, types }: SuiCall): void {
    const [context] = args
    if (args.length !== 1 || types.length !== 1) throw refuseMaterial('parse')
    if (types[0] !== this.#boughtType()) throw refuseMaterial('received_token')
    if (context!.kind !== 'result') throw refuseMaterial('coins')
    const limit = this.#limits.get(slotOf(context!))
    if (limit === undefined) return
    // The call consumes the context, so it cannot be confirmed twice.
    this.#limits.delete(slotOf(context!))
    this.#checked.set(`${this.#origins.length}.0`, limit)
  }

  /** A function that aborts if the coin holds less than the minimum. */
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
    if (recipient !== out.mintRecipient) throw refuseMaterial('recipient')
    if (!out.isMinted) throw refuseMaterial('received_token')
    this.#recipients.add(recipient)
    const [coin] = args
    if (coin!.kind !== 'result' || this.#gasParts.has(slotOf(coin!))) throw refuseMaterial('coins')
    this.#burnt.add(slotOf(coin!))
  }

  #boughtType(): string {
    const { out } = this.#claim
    return out.kind === 'cross-chain' ? out.burnt : out.coin.address
  }

  /** The recipient of a transfer must be the wallet. */
  #give(to: SuiArgument): void {
    const address = addressIn(this.#pure(to))
    if (address !== this.#claim.from) throw refuseMaterial('recipient')
    this.#recipients.add(address)
  }

  /** Passes arguments to code that is known only by its name. */
  #handAll({ args }: SuiCall): void {
    for (const argument of args) {
      this.#handOver(argument)
      if (argument.kind !== 'input') continue
      const input = this.#transaction.inputs[argument.index]!
      if (input.kind !== 'pure') continue
      this.#touched.add(argument.index)
      // An input that could hold an address: only the wallet's or the zero address is allowed.
      const address = addressIn(input.bytes)
      const isHarmless = address === this.#claim.from || address === SUI_ZERO_ADDRESS
      if (input.bytes.length >= ADDRESS_BYTES && !isHarmless) throw refuseMaterial('recipient')
    }
  }

  /** Passes a value to something that is not its final destination. */
  #handOver(argument: SuiArgument): ValueOrigin {
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

  #originOf(argument: SuiArgument): ValueOrigin {
    if (argument.kind === 'gas') return 'wallet'
    if (argument.kind === 'result') {
      const { command, index } = argument
      const origin = this.#origins[command]
      const count = this.#counts[command] ?? Number.POSITIVE_INFINITY
      if (origin === undefined || index >= count) throw refuseMaterial('parse')
      return this.#redeemed.has(slotOf(argument)) ? 'wallet' : origin
    }
    const input = this.#transaction.inputs[argument.index]
    if (input === undefined) throw refuseMaterial('parse')
    if (input.kind === 'pure' || input.kind === 'shared') return input.kind
    return 'wallet'
  }

  /** @returns the bytes of a pure input that no code can have changed; null for any other argument */
  #pure(argument: SuiArgument): Uint8Array | null {
    if (argument.kind !== 'input' || this.#touched.has(argument.index)) return null
    const input = this.#transaction.inputs[argument.index]
    return input?.kind === 'pure' ? input.bytes : null
  }
}
