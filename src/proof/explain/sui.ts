/**
 * Explains a Sui transaction: every value is followed from its source to its last holder. What an object is, the
 * bytes do not show; a call of a package that is not known here may keep what it is given.
 *
 * Source: proof/sui-ptb.ts · MystenLabs/sui crates/sui-framework/packages (coin, balance, pay, transfer, kiosk, sui_system)
 */
import { concatBytes } from '@noble/hashes/utils.js'
import { decodeBase64 } from '../../runtime/base64.ts'
import {
  addressIn,
  numberIn,
  parseSuiTransaction,
  type SuiArgument,
  type SuiCall,
  type SuiCommand,
  type SuiTransaction,
} from '../sui-ptb.ts'
import type { Findings } from './findings.ts'

/** MIST that gas may cost: an honest transaction pays some hundredths of a SUI. */
const MAX_GAS = 1_000_000_000n
const STEALING_GAS = 10n * MAX_GAS
/** Commands between two looks at the clock. */
const COMMANDS_A_TURN = 16

const id = (digit: string): string => `0x${digit.padStart(64, '0')}`
const SUI = `${id('2')}::sui::SUI`

/** A value in the transaction: how much of what, as far as the bytes show. */
interface Value {
  readonly asset: string
  readonly amount: bigint | null
}

/** @param turn  lets others have the thread */
export async function explainSui(base64: string, found: Findings, turn?: () => Promise<void>) {
  const bytes = decodeBase64(base64)
  const transaction = bytes && parseSuiTransaction(bytes)
  if (transaction === null || transaction === 'system')
    return found.leave('transaction', 'it is no transaction that a wallet signs', bytes)
  found.owner ??= transaction.sender
  if (!found.isOwn(transaction.sender))
    found.risk('not_signer', `${transaction.sender} sends this.`, 'warning', true)
  const { gasOwner, gasBudget } = transaction
  if (gasOwner !== transaction.sender)
    found.risk('fee_payer', `${gasOwner} pays for gas, and signs as well.`, 'warning', true)
  if (gasBudget > MAX_GAS)
    found.risk(
      'high_fee',
      `Gas may cost ${gasBudget} MIST.`,
      gasBudget >= STEALING_GAS ? 'danger' : 'warning',
      true,
    )
  const reading = new Reading(transaction, found)
  for (const [i, command] of transaction.commands.entries()) {
    if (i % COMMANDS_A_TURN === 0) await turn?.()
    reading.read(`command ${i + 1}`, command)
  }
}

/** The framework's functions that only move values within the transaction, or to the sender. */
const PLAIN: ReadonlySet<string> = new Set(
  [
    'zero',
    'value',
    'balance',
    'into_balance',
    'from_balance',
    'join',
    'split',
    'put',
    'take',
    'destroy_zero',
    'divide_into_n',
  ]
    .map((name) => `coin::${name}`)
    .concat(
      ['zero', 'value', 'join', 'split', 'withdraw_all', 'destroy_zero'].map((name) => `balance::${name}`),
    )
    .concat(['pay::keep', 'pay::join', 'pay::join_vec', 'pay::split', 'pay::divide_and_keep']),
)

/** Functions that give a value to the address in their second argument. */
const GIVES: ReadonlySet<string> = new Set([
  'transfer::public_transfer',
  'transfer::transfer',
  'pay::split_and_transfer',
  'pay::join_vec_and_transfer',
  'coin::send_funds',
  'balance::send_funds',
])

/** Functions that take what a withdrawal says out of an address balance. */
const REDEEMS: ReadonlySet<string> = new Set(['coin::redeem_funds', 'balance::redeem_funds'])

class Reading {
  readonly #transaction: SuiTransaction
  readonly #found: Findings
  readonly #results: Value[][] = []

  constructor(transaction: SuiTransaction, found: Findings) {
    this.#transaction = transaction
    this.#found = found
  }

  read(where: string, command: SuiCommand): void {
    this.#results.push(this.#resultsOf(where, command))
  }

  #resultsOf(where: string, command: SuiCommand): Value[] {
    switch (command.kind) {
      case 'call':
        return this.#call(where, command)
      case 'transfer':
        this.#give(command.objects, this.#address(command.to))
        return []
      case 'split':
        return command.amounts.map((amount) => ({
          asset: this.#value(command.coin).asset,
          amount: this.#number(amount),
        }))
      case 'merge':
        this.#found.act('merge', 'merges coins')
        return []
      case 'vector':
        return [command.items.length === 0 ? OBJECT : this.#value(command.items[0]!)]
      case 'publish':
        this.#found.act('deploy', 'publishes a package')
        this.#found.leave(where, 'what the new package does is its code')
        return [{ asset: `${id('2')}::package::UpgradeCap`, amount: null }]
      case 'upgrade':
        this.#found.act('upgrade', 'replaces the code of a package')
        this.#found.risk('upgrade', 'The package has other code from then on.')
        return [OBJECT]
    }
  }

  #give(objects: readonly SuiArgument[], to: string | null): void {
    const found = this.#found
    for (const object of objects) {
      const isGas = object.kind === 'gas'
      const { asset, amount } = this.#value(object)
      const what = isGas ? 'all SUI of the gas coins' : `${amount ?? ''} ${asset}`.trim()
      found.act('transfer', `sends ${what} to ${to}`, {
        asset,
        amount: amount === null ? null : String(amount),
        from: found.owner,
        to,
      })
      if (found.isOwn(to)) continue
      if (isGas)
        found.risk(
          'whole_balance',
          'All that pays for gas leaves.',
          to !== null && found.isNamed(to) ? 'warning' : 'danger',
        )
      // Coins that were split off are money; a cap or a kiosk may be anything.
      if (asset === OBJECT.asset)
        found.leave('object', 'what the object is that is given away, the bytes do not show')
      found.pays(to, what)
    }
  }

  #call(where: string, call: SuiCall): Value[] {
    const found = this.#found
    const name = `${call.package}::${call.name}`
    const module = call.package === id('2') ? call.name : null
    if (module !== null && PLAIN.has(module)) return [{ asset: coinOf(call), amount: null }]
    if (module !== null && GIVES.has(module)) {
      this.#give(call.args.slice(0, 1), this.#address(call.args.at(-1)))
      return []
    }
    if (module !== null && REDEEMS.has(module)) {
      const [argument] = call.args
      const input = argument?.kind === 'input' ? this.#transaction.inputs[argument.index] : undefined
      return [{ asset: coinOf(call), amount: input?.kind === 'withdrawal' ? input.amount : null }]
    }
    if (module === 'transfer::public_share_object') {
      found.act('authority', 'lets everybody use an object', { program: name })
      found.risk('authority_change', 'Everybody may use the object from then on.')
      return []
    }
    if (module === 'kiosk::list' || module === 'kiosk::place_and_list') return this.#list(name, call)
    if (module?.startsWith('kiosk::set_owner') === true) {
      const to = this.#address(call.args.at(-1))
      found.act('authority', `gives a kiosk to ${to}`, { program: name, to })
      found.hands('owner_change', to, 'The kiosk')
      return []
    }
    if (call.package === id('3') && /^sui_system::request_(?:add_stake|withdraw_stake)$/.test(call.name)) {
      found.act('stake', `${call.name.slice(12)} at a validator`, { program: name, asset: 'native' })
      return []
    }
    found.act('call', `calls ${name}`, { program: name })
    found.leave(
      where,
      `${name} is not known here, and may keep what it is given`,
      argumentBytes(this.#transaction, call),
    )
    if (call.args.some((argument) => this.#isOwned(argument)))
      found.risk('unknown_call', `${name} gets objects of the wallet's.`)
    return Array.from({ length: 16 }, () => OBJECT)
  }

  #list(name: string, call: SuiCall): Value[] {
    const price = this.#number(call.args.at(-1)!)
    this.#found.act('order', `offers an object for ${price} MIST`, {
      program: name,
      asset: call.types[0] ?? null,
      amount: String(price),
    })
    if (price === null || price <= 1n) this.#found.risk('order_for_nothing', `The price is ${price} MIST.`)
    else this.#found.risk('market_price', `${price} MIST are the price.`)
    return []
  }

  #isOwned(argument: SuiArgument): boolean {
    if (argument.kind !== 'input') return true
    const input = this.#transaction.inputs[argument.index]
    return input?.kind === 'owned' || input?.kind === 'receiving' || input?.kind === 'withdrawal'
  }

  #value(argument: SuiArgument): Value {
    if (argument.kind === 'gas') return { asset: 'native', amount: null }
    if (argument.kind === 'result') return this.#results[argument.command]?.[argument.index] ?? OBJECT
    return OBJECT
  }

  #pure(argument: SuiArgument | undefined): Uint8Array | null {
    if (argument?.kind !== 'input') return null
    const input = this.#transaction.inputs[argument.index]
    return input?.kind === 'pure' ? input.bytes : null
  }

  #address = (argument: SuiArgument | undefined): string | null => addressIn(this.#pure(argument))
  #number = (argument: SuiArgument): bigint | null => numberIn(this.#pure(argument), 8)
}

/** An object whose type only the chain knows. */
const OBJECT: Value = { asset: 'object', amount: null }

const coinOf = ({ types }: SuiCall): string => (types[0] === SUI ? 'native' : (types[0] ?? 'object'))

/** The pure arguments of a call, joined: all that the bytes say of what is asked. */
function argumentBytes({ inputs }: SuiTransaction, { args }: SuiCall): Uint8Array {
  const pure = args.flatMap((argument) => {
    const input = argument.kind === 'input' ? inputs[argument.index] : undefined
    return input?.kind === 'pure' ? [input.bytes] : []
  })
  return concatBytes(...pure)
}
