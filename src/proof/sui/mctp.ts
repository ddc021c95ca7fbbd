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
import calls from './mctp-calls.json' with { type: 'json' }
import type { SuiArgument, SuiCall } from './ptb.ts'

/**
 * The shared objects that an order's calls work on: of Mayan, whose field `latest_package_id` names the package that is
 * called, of Circle's TokenMessengerMinter and MessageTransmitter, of Wormhole, and of Sui itself.
 */
export const {
  mctpState: MCTP_STATE,
  feeManagerState: FEE_MANAGER_STATE,
  messengerState: MESSENGER_STATE,
  transmitterState: TRANSMITTER_STATE,
  usdcTreasury: USDC_TREASURY,
  wormholeState: WORMHOLE_STATE,
  denyList: DENY_LIST,
  clock: CLOCK_OBJECT,
} = calls.objects
const OBJECTS: Readonly<Record<string, string>> = calls.objects
/** Packages: Circle's TokenMessengerMinter, Wormhole, and one that writes down who referred. */
export const TOKEN_MESSENGER = '0x2aa6c5d56376c371f88a6cc42e852824994993cb9bab8d3e6450cbe3cb32b94e'
export const WORMHOLE = '0x5306f64e312b581766351c07af79c72fcb1cd25147157fdc2f8ad76de9a3fb6a'
export const REFERRER_LOGGER = '0x05680e9030c147b413a489f7891273acc221d49bd061c433e5771bc170fc37ac'

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
const FIELDS = calls.fields
type Field = keyof typeof FIELDS

interface Step {
  /**
   * What each argument is: the `coin` that is sent across, one that pays Wormhole (`messageFee`), a field, a ticket, an
   * object, or the description of USDC (`usdcMetadata`).
   */
  readonly takes: readonly string[]
  /** The tickets that it returns. */
  readonly gives: readonly string[]
  /** Type arguments: the `burnt` coin's, and `auth`, the authority of the module that had it burnt. */
  readonly types: readonly string[]
}

/** By `module::function`. Both kinds of order that send a message publish it by the same step: only one is taken. */
const MCTP_STEPS: Readonly<Record<string, Step>> = {
  ...calls.mctp,
  'init_order::publish_init_order': calls.publish,
  'bridge_with_fee::publish_bridge_with_fee': calls.publish,
}

/** Calls that write an event, and take nothing by value that is worth anything. */
const LOGS: readonly string[] = ['init_order::log_initialize_mctp', 'referrer_logger::log_referrer']

/** @returns null for a call that isn't part of an order */
export function mctpCall({ package: at, name }: SuiCall, packages: MayanPackages): Step | 'log' | null {
  const isMctp = packages.mctp.has(at)
  if ((isMctp || at === REFERRER_LOGGER) && LOGS.includes(name)) return 'log'
  const steps: Readonly<Record<string, Step>> = isMctp
    ? MCTP_STEPS
    : packages.feeManager.has(at)
      ? calls.feeManager
      : at === TOKEN_MESSENGER
        ? calls.circle
        : at === WORMHOLE
          ? calls.wormhole
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
  readonly #tickets = new Map<string, string>()
  readonly #taken = new Set<string>()
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
    if (args.length !== step.takes.length || types.length !== step.types.length) throw refuseMaterial('parse')
    // A second order, or a repeated step of one.
    if (this.#steps.has(step)) throw refuseMaterial('bridge_order')
    this.#steps.add(step)
    const module = name.split('::')[0]!
    if (step.takes.includes('coin') && step.takes.includes('amountInMin')) {
      if (this.kind !== null) throw refuseMaterial('bridge_order')
      this.kind = module as MctpKind
    }
    for (const [index, kind] of step.types.entries()) this.#requireType(types[index]!, kind)
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

  #requireType(type: string, kind: string): void {
    if (kind === 'burnt') {
      if (type !== this.#burnt) throw refuseMaterial('sent_token')
      return
    }
    const [at, module, name] = type.split('::')
    const isOwn = this.#packages.mctp.has(at!) && module === this.kind && name === 'CircleAuth'
    if (!isOwn) throw refuseMaterial('bridge_order')
  }

  #argument(argument: SuiArgument, expected: string, read: ArgumentReader): void {
    if (expected === 'coin') {
      if (argument.kind !== 'result') throw refuseMaterial('coins')
      if (this.coin !== null && !isSame(this.coin, argument)) throw refuseMaterial('bridge_order')
      this.coin = argument
    } else if (expected === 'messageFee') {
      if (argument.kind !== 'result') throw refuseMaterial('coins')
      this.messageFee = argument
    } else if (calls.tickets.includes(expected)) {
      const place = argument.kind === 'result' ? `${argument.command}.${argument.index}` : null
      if (place === null || this.#tickets.get(expected) !== place) throw refuseMaterial('bridge_order')
      this.#taken.add(expected)
    } else if (isField(expected)) {
      this.#field(expected, read.pure(argument))
    } else {
      const wanted = expected === 'usdcMetadata' ? this.#usdcMetadata : OBJECTS[expected]
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

const isField = (expected: string): expected is Field => Object.hasOwn(FIELDS, expected)

const isSame = (one: SuiArgument, other: SuiArgument): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** A copy of the message is dropped by the caller of the burn. */
const isSpent = (ticket: string, taken: ReadonlySet<string>): boolean =>
  ticket === 'burnMessage' || taken.has(ticket)

/** `vector<u8>` of less than 128 bytes. */
const isList = (bytes: Uint8Array): boolean => bytes.length > 0 && bytes[0] === bytes.length - 1
