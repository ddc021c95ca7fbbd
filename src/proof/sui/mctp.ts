/**
 * Reads an order of Mayan's MCTP on Sui, which burns USDC by Circle's bridge and says
 * in a Wormhole message what happens to it on the other chain:
 *
 *   init_order         an auction there buys `tokenOut`; after the deadline the USDC goes to `addrDest`
 *   bridge_with_fee    the USDC less `redeemFee` goes to `addrDest`
 *   bridge_locked_fee  the same, by Circle alone, with the fee kept on Sui
 *
 *   calculate_mctp_fee::prepare_calc_mctp_fee → calculate_mctp_fee              of an auction
 *   <module>::prepare_... → <module>::... → burn request, deposit ticket
 *   deposit_for_burn_with_caller_with_package_auth(deposit ticket) → burn message, message
 *   publish_... or store_...(burn request, message) → publish_message
 *
 * Each call must take exactly what an earlier one of the same order returned, and the shared
 * objects that Mayan, Circle and Wormhole work on. None of the tickets can be dropped, so that an
 * order is complete or the transaction fails. The mint recipient and the caller on the other chain
 * are those of Mayan's own state.
 *
 * Source: mayan-finance/swap-sdk @cd5a34c src/sui/suiMctp.ts, src/addresses.ts · circlefin/sui-cctp
 * @70290f7 packages/token_messenger_minter/sources/deposit_for_burn.move · MayanCircle.sol (refund,
 * redeemWithFee, redeemWithLockedFee, makePayments), which is the same on the other side
 */
import { equalBytes } from '@noble/curves/utils.js'
import { refuseMaterial } from '../terms/verification.ts'
import type { SuiArgument, SuiCall } from './ptb.ts'

/** The shared objects whose field `latest_package_id` names the package that is called. */
export const MCTP_STATE = '0xb787fe0f7530b4fd2162fa0cc92f4f6c5a97c54b4c5c55eb04ab29f4b803ac9c'
export const FEE_MANAGER_STATE = '0xa1b4a96ce93d36dd0bbce0adc39533a07d2f32928918c80cd6fe7868320978f2'
/** Circle's TokenMessengerMinter, and the states of it and of its MessageTransmitter. */
export const TOKEN_MESSENGER = '0x2aa6c5d56376c371f88a6cc42e852824994993cb9bab8d3e6450cbe3cb32b94e'
export const MESSENGER_STATE = '0x45993eecc0382f37419864992c12faee2238f5cfe22b98ad3bf455baf65c8a2f'
export const TRANSMITTER_STATE = '0xf68268c3d9b1df3215f2439400c1c4ea08ac4ef4bb7d6f3ca6a2a239e17510af'
export const USDC_TREASURY = '0x57d6725e7a8b49a7b2a612f6bd66ab5f39fc95332ca48be421c3229d514a6de7'
export const WORMHOLE = '0x5306f64e312b581766351c07af79c72fcb1cd25147157fdc2f8ad76de9a3fb6a'
export const WORMHOLE_STATE = '0xaeab97f96cf9877fee2883315d459552b2b921edc16d7ceac6eab944dd88919c'
export const REFERRER_LOGGER = '0x05680e9030c147b413a489f7891273acc221d49bd061c433e5771bc170fc37ac'

const system = (digits: string): string => `0x${digits.padStart(64, '0')}`
export const DENY_LIST = system('403')
export const CLOCK_OBJECT = system('6')

/** Mayan's packages that may be called: those of the table, and those that the two states name. */
export interface MayanPackages {
  readonly mctp: ReadonlySet<string>
  readonly feeManager: ReadonlySet<string>
}

/** Decompiled; their assertions were read in the bytecode. */
export const KNOWN_MAYAN: MayanPackages = {
  mctp: new Set(['0x4999fd740d160ce3f88b9fc2c71ef11501dca30705c0ae6ca5911dff88eaf88f']),
  feeManager: new Set(['0xa78bf5adc9b7a2b6a71eea973ca3e9a1c2a185a732f740a7a0a67e4f5bf783c6']),
}

/** Fields of the three kinds of order, by how many bytes each has; `list` is a `vector<u8>`. */
const FIELDS = {
  payloadType: 1,
  trader: 32,
  addrDest: 32,
  destChain: 2,
  tokenOut: 32,
  amountOutMin: 8,
  gasDrop: 8,
  redeemFee: 8,
  deadline: 8,
  referrer: 32,
  feeRateRef: 1,
  domain: 4,
  amountInMin: 8,
  payload: 'list',
} as const
type Field = keyof typeof FIELDS

const TICKETS = [
  'feeTicket',
  'feeParams',
  'orderTicket',
  'burnRequest',
  'depositTicket',
  'burnMessage',
  'cctpMessage',
  'wormholeMessage',
] as const
type Ticket = (typeof TICKETS)[number]

/** An argument: the coin that is sent across, a coin that pays Wormhole, a field, a ticket, or an object's id. */
type Expected = 'coin' | 'messageFee' | Field | Ticket | `0x${string}` | 'usdcMetadata'

const AUCTION: readonly Expected[] = [
  'payloadType',
  'trader',
  'coin',
  'addrDest',
  'destChain',
  'tokenOut',
  'amountOutMin',
  'gasDrop',
  'redeemFee',
  'deadline',
  'referrer',
  'feeRateRef',
]
const BRIDGED: readonly Expected[] = ['coin', 'amountInMin', 'addrDest', 'domain', 'gasDrop', 'redeemFee']

interface Step {
  readonly takes: readonly Expected[]
  readonly gives: readonly Ticket[]
  /** Type arguments: the burnt coin's, and the authority of the module that had it burnt. */
  readonly types?: readonly ('burnt' | 'auth')[]
}

const id = (text: string): Expected => text as `0x${string}`

/** `module::function` of Mayan's package, with the kind of order that each begins. */
const started = (prepare: readonly Expected[], more: readonly Ticket[]): readonly [Step, Step] => [
  { takes: prepare, gives: ['orderTicket'], types: ['burnt'] },
  {
    takes: [id(MCTP_STATE), id(TRANSMITTER_STATE), 'usdcMetadata', 'orderTicket', ...more],
    gives: ['burnRequest', 'depositTicket'],
    types: ['burnt'],
  },
]
const [PREPARE_ORDER, ORDER] = started([...AUCTION, 'domain', 'amountInMin'], ['feeParams'])
const [PREPARE_LOCKED, LOCKED] = started(BRIDGED, [])
const [PREPARE_WITH_FEE, WITH_FEE] = started(['payloadType', ...BRIDGED, 'payload'], [])
const PUBLISH: Step = {
  takes: [id(MCTP_STATE), 'burnRequest', 'cctpMessage'],
  gives: ['wormholeMessage'],
}

const MCTP_STEPS: Readonly<Record<string, Step>> = {
  'init_order::prepare_initialize_order': PREPARE_ORDER,
  'init_order::initialize_order': ORDER,
  'init_order::publish_init_order': PUBLISH,
  'bridge_locked_fee::prepare_bridge_locked_fee': PREPARE_LOCKED,
  'bridge_locked_fee::bridge_locked_fee': LOCKED,
  'bridge_locked_fee::store_bridge_locked_fee': {
    takes: [id(MCTP_STATE), 'usdcMetadata', 'burnRequest', 'cctpMessage'],
    gives: [],
    types: ['burnt'],
  },
  'bridge_with_fee::prepare_bridge_with_fee': PREPARE_WITH_FEE,
  'bridge_with_fee::bridge_with_fee': WITH_FEE,
  'bridge_with_fee::publish_bridge_with_fee': PUBLISH,
}

const FEE_STEPS: Readonly<Record<string, Step>> = {
  'calculate_mctp_fee::prepare_calc_mctp_fee': {
    takes: ['usdcMetadata', ...AUCTION],
    gives: ['feeTicket'],
    types: ['burnt'],
  },
  'calculate_mctp_fee::calculate_mctp_fee': {
    takes: [id(FEE_MANAGER_STATE), 'feeTicket'],
    gives: ['feeParams'],
  },
}

const CIRCLE_STEPS: Readonly<Record<string, Step>> = {
  'deposit_for_burn::deposit_for_burn_with_caller_with_package_auth': {
    takes: ['depositTicket', id(MESSENGER_STATE), id(TRANSMITTER_STATE), id(DENY_LIST), id(USDC_TREASURY)],
    gives: ['burnMessage', 'cctpMessage'],
    types: ['burnt', 'auth'],
  },
}

const WORMHOLE_STEPS: Readonly<Record<string, Step>> = {
  'publish_message::publish_message': {
    takes: [id(WORMHOLE_STATE), 'messageFee', 'wormholeMessage', id(CLOCK_OBJECT)],
    gives: [],
  },
}

/** Calls that write an event, and take nothing by value that is worth anything. */
const LOGS: readonly string[] = ['init_order::log_initialize_mctp', 'referrer_logger::log_referrer']

/** @returns null for a call that isn't part of an order */
export function mctpCall({ package: at, name }: SuiCall, packages: MayanPackages): Step | 'log' | null {
  const isMctp = packages.mctp.has(at)
  if ((isMctp || at === REFERRER_LOGGER) && LOGS.includes(name)) return 'log'
  const steps = isMctp
    ? MCTP_STEPS
    : packages.feeManager.has(at)
      ? FEE_STEPS
      : at === TOKEN_MESSENGER
        ? CIRCLE_STEPS
        : at === WORMHOLE
          ? WORMHOLE_STEPS
          : {}
  return Object.hasOwn(steps, name) ? steps[name]! : null
}

export type MctpKind = 'init_order' | 'bridge_locked_fee' | 'bridge_with_fee'

/** The arguments of a programmable transaction's commands. */
export interface ArgumentReader {
  /** @returns null unless it is a pure input that no code can have changed */
  pure(argument: SuiArgument): Uint8Array | null
  /** @returns the id of an object among the inputs; null for any other argument */
  object(argument: SuiArgument): string | null
}

/** One order in the making. */
export class MctpOrder {
  readonly #packages: MayanPackages
  readonly #burnt: string
  readonly #usdcMetadata: string
  readonly #fields = new Map<Field, Uint8Array>()
  /** Where each ticket was returned: `command.result`. */
  readonly #tickets = new Map<Ticket, string>()
  readonly #taken = new Set<Ticket>()
  readonly #steps = new Set<Step>()
  /** Null before its coin was handed over. */
  kind: MctpKind | null = null
  /** The coin that is sent across, as an argument. */
  coin: SuiArgument | null = null
  /** The coin that pays for the message. */
  messageFee: SuiArgument | null = null

  /** @param burnt  the coin type that is burnt @param usdcMetadata  the id of its CoinMetadata */
  constructor(packages: MayanPackages, burnt: string, usdcMetadata: string) {
    this.#packages = packages
    this.#burnt = burnt
    this.#usdcMetadata = usdcMetadata
  }

  /** Whether all that an order has to be handed on has been. */
  get isComplete(): boolean {
    return this.kind !== null && [...this.#tickets.keys()].every((ticket) => isSpent(ticket, this.#taken))
  }

  /**
   * @param at  the index of the command
   * @throws GatewayError  material_refused: parse, sent_token, bridge_order
   */
  take(call: SuiCall, step: Step, at: number, read: ArgumentReader): void {
    const { args, types, name } = call
    const wanted = step.types ?? []
    if (args.length !== step.takes.length || types.length !== wanted.length) throw refuseMaterial('parse')
    // A second order, or a repeated step of one.
    if (this.#steps.has(step)) throw refuseMaterial('bridge_order')
    this.#steps.add(step)
    const module = name.split('::')[0]!
    if (step.takes.includes('coin') && step.takes.includes('amountInMin')) {
      if (this.kind !== null) throw refuseMaterial('bridge_order')
      this.kind = module as MctpKind
    }
    for (const [index, kind] of wanted.entries()) this.#requireType(types[index]!, kind)
    for (const [index, expected] of step.takes.entries()) this.#argument(args[index]!, expected, read)
    for (const [index, ticket] of step.gives.entries()) this.#tickets.set(ticket, `${at}.${index}`)
  }

  /** A field as a number. @throws RangeError  for a missing one */
  number(field: Field): bigint {
    return this.word(field).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  }

  /** A field as its bytes. @throws RangeError  for a missing one */
  word(field: Field): Uint8Array {
    const bytes = this.#fields.get(field)
    if (bytes === undefined) throw new RangeError(`An order of ${this.kind} has no ${field}.`)
    return bytes
  }

  #requireType(type: string, kind: 'burnt' | 'auth'): void {
    if (kind === 'burnt') {
      if (type !== this.#burnt) throw refuseMaterial('sent_token')
      return
    }
    const [at, module, name] = type.split('::')
    const isOwn = this.#packages.mctp.has(at!) && module === this.kind && name === 'CircleAuth'
    if (!isOwn) throw refuseMaterial('bridge_order')
  }

  #argument(argument: SuiArgument, expected: Expected, read: ArgumentReader): void {
    if (expected === 'coin') {
      if (argument.kind !== 'result') throw refuseMaterial('coins')
      if (this.coin !== null && !isSame(this.coin, argument)) throw refuseMaterial('bridge_order')
      this.coin = argument
    } else if (expected === 'messageFee') {
      if (argument.kind !== 'result') throw refuseMaterial('coins')
      this.messageFee = argument
    } else if (isTicket(expected)) {
      const place = argument.kind === 'result' ? `${argument.command}.${argument.index}` : null
      if (place === null || this.#tickets.get(expected) !== place) throw refuseMaterial('bridge_order')
      this.#taken.add(expected)
    } else if (isField(expected)) {
      this.#field(expected, read.pure(argument))
    } else {
      const wanted = expected === 'usdcMetadata' ? this.#usdcMetadata : expected
      if (read.object(argument) !== wanted) throw refuseMaterial('bridge_order')
    }
  }

  /** The fee manager must get the same values as the order. */
  #field(field: Field, bytes: Uint8Array | null): void {
    const length = FIELDS[field]
    if (bytes === null || (length === 'list' ? !isList(bytes) : bytes.length !== length)) {
      throw refuseMaterial('bridge_order')
    }
    const before = this.#fields.get(field)
    if (before !== undefined && !equalBytes(before, bytes)) throw refuseMaterial('bridge_order')
    this.#fields.set(field, bytes)
  }
}

const isTicket = (expected: Expected): expected is Ticket => TICKETS.some((ticket) => ticket === expected)
const isField = (expected: Expected): expected is Field => Object.hasOwn(FIELDS, expected)

const isSame = (one: SuiArgument, other: SuiArgument): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** A copy of the message is dropped by the caller of the burn. */
const isSpent = (ticket: Ticket, taken: ReadonlySet<Ticket>): boolean =>
  ticket === 'burnMessage' || taken.has(ticket)

/** `vector<u8>` of less than 128 bytes. */
const isList = (bytes: Uint8Array): boolean => bytes.length > 0 && bytes[0] === bytes.length - 1
