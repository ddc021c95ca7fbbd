/**
 * Unsigned Sui transactions as the cross-chain provider hands them out, real to the last byte.
 *
 * Source: docs.li.fi · CetusProtocol/aggregator src/movecall/router.ts, src/movecall/cetus.ts ·
 * mayan-finance/swap-sdk src/sui/suiMctp.ts
 */
import type { XprovChain } from '../../chains/find.ts'
import { usdcOf } from '../../chains/stablecoins.ts'
import { WORMHOLE_IDS, writtenAs } from '../../proof/cross-chain/lifi/ids.ts'
import {
  CLOCK_OBJECT,
  DENY_LIST,
  FEE_MANAGER_STATE,
  KNOWN_MAYAN,
  MCTP_STATE,
  MESSENGER_STATE,
  REFERRER_LOGGER,
  TOKEN_MESSENGER,
  TRANSMITTER_STATE,
  USDC_TREASURY,
  WORMHOLE,
  WORMHOLE_STATE,
} from '../../proof/sui/mctp.ts'
import { burnDomain } from '../../proof/sui/packages.ts'
import {
  address,
  type BcsPart,
  call,
  coinOf,
  composeSui,
  GAS,
  idOf,
  input,
  list,
  metadataOf,
  nested,
  owned,
  pure,
  result,
  shared,
  split,
  text,
  transfer,
  UPGRADED,
  u8,
  u16,
  u32,
  u64,
  validDuring,
  withdrawal,
} from '../sui/compose.ts'
import { holdsBalances } from '../sui/ledger.ts'
import type { CrossChainOrder } from './xprov-desk.ts'

const CETUS = [
  '0xde5d696a79714ca5cb910b9aed99d41f67353abb00715ceaeb0663d57ee39640',
  '0x721d950e57259cd97d41010887ab502ee7753b0a3deb4b6a80099aad0c833928',
]
/** Its GlobalConfig and the partner that its SDK names. */
const CETUS_CONFIG = '0xdaa46292632c3c4d8f31f23ea0f9b36a28ff3677e9684980e4438403a67a3d8f'
const CETUS_PARTNER = '0x639b5e433da31739e800cd085f356e64cae222966d0f1b11bd9dc76b322ff58b'
const [MAYAN] = KNOWN_MAYAN.mctp
const [FEE_MANAGER] = KNOWN_MAYAN.feeManager
const MCTP_DECIMALS = 8
/** Millionths of the bridged amount, for the redeemer. */
const REDEEM_PPM = 500n
const ORDER_SECONDS = 3_600
const EPOCH = 900n
const COIN = `0x${'2'.padStart(64, '0')}::coin`
const SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`
const NOBODY = '0x0'

/** An order for a swap within Sui, or for the half of a cross-chain swap that happens there. */
type SuiOrder = Pick<
  CrossChainOrder,
  'fromChain' | 'toChain' | 'tokenIn' | 'tokenOut' | 'amountIn' | 'from' | 'to'
>

/** The terms that a provider promises. */
interface SuiTerms {
  /** The minimum that arrives, in base units of `tokenOut`. */
  readonly minOut: bigint
  /** The minimum USDC after a swap before the bridge, in base units. */
  readonly minMiddle: bigint
  /** Unix time in ms. */
  readonly now: number
}

/**
 * A TransactionData in base64. Within Sui it is a swap by Cetus's V3 router, whose output goes to the wallet.
 * To another chain the input is swapped to USDC and burnt by a Mayan order: the fee is kept on Sui if USDC
 * goes to an EVM chain, and taken there if it was bought first or goes to Solana; if another token is wanted,
 * the order is an auction.
 */
export function suiTransaction(ask: SuiOrder, { minOut, minMiddle, now }: SuiTerms): string {
  const { fromChain, toChain, tokenIn, tokenOut, amountIn, from, to } = ask
  const ptb = new Ptb(from)
  const sold = ptb.split(tokenIn, amountIn)
  if (fromChain === toChain) {
    const bought = ptb.swap(sold, tokenIn.address, tokenOut.address, amountIn, minOut)
    ptb.command(transfer([bought], ptb.pure(address(to))))
    return ptb.compose()
  }
  const usdc = usdcOf(fromChain)!
  const isSwapped = tokenIn.address !== usdc
  const isMinted = usdcOf(toChain) === tokenOut.address
  const redeemFee = (minOut * REDEEM_PPM) / 1_000_000n
  const least = isSwapped ? (isMinted ? minOut + redeemFee : minMiddle) : amountIn
  const coin = isSwapped ? ptb.swap(sold, tokenIn.address, usdc, amountIn, least) : sold
  const order = { coin, usdc, metadata: metadataOf(usdc), to: word(toChain, to), least }
  const common = { ...order, domain: Number(burnDomain(toChain.key)) }
  if (!isMinted) {
    const rounding = 10n ** BigInt(Math.max(0, tokenOut.decimals - MCTP_DECIMALS))
    auction(ptb, common, {
      trader: from,
      chain: Number(WORMHOLE_IDS.get(toChain.key)),
      token: tokenOut.isNative ? address(NOBODY) : word(toChain, tokenOut.address),
      minOut: minOut / rounding,
      deadline: BigInt(Math.floor(now / 1_000) + ORDER_SECONDS),
      redeemFee: (least * REDEEM_PPM) / 1_000_000n,
    })
  } else bridge(ptb, common, redeemFee, isSwapped || toChain.family === 'solana')
  logged(ptb, ask)
  return ptb.compose()
}

interface Crossing {
  readonly coin: BcsPart
  /** The type of the coin, and the object that describes it. */
  readonly usdc: string
  readonly metadata: string
  /** The recipient in 32 bytes. */
  readonly to: BcsPart
  /** The least that the coin holds. */
  readonly least: bigint
  readonly domain: number
}

interface Auction {
  readonly trader: string
  readonly chain: number
  readonly token: BcsPart
  readonly minOut: bigint
  readonly deadline: bigint
  readonly redeemFee: bigint
}

function auction(ptb: Ptb, { coin, usdc, metadata, to, least, domain }: Crossing, wanted: Auction): void {
  const { trader, chain, token, minOut, deadline, redeemFee } = wanted
  const common = [
    ptb.pure(u8(1)),
    ptb.pure(address(trader)),
    coin,
    ptb.pure(to),
    ptb.pure(u16(chain)),
    ptb.pure(token),
    ptb.pure(u64(minOut)),
    ptb.pure(u64(0n)),
    ptb.pure(u64(redeemFee)),
    ptb.pure(u64(deadline)),
    ptb.pure(address(NOBODY)),
    ptb.pure(u8(0)),
  ]
  const fees = `${FEE_MANAGER}::calculate_mctp_fee`
  const asked = ptb.command(call(`${fees}::prepare_calc_mctp_fee`, [usdc], [ptb.shared(metadata), ...common]))
  const parameters = ptb.command(
    call(`${fees}::calculate_mctp_fee`, [], [ptb.shared(FEE_MANAGER_STATE), asked]),
  )
  const ticket = ptb.command(
    call(
      `${MAYAN}::init_order::prepare_initialize_order`,
      [usdc],
      [...common, ptb.pure(u32(domain)), ptb.pure(u64(least))],
    ),
  )
  const started = ptb.mayan('init_order::initialize_order', usdc, metadata, [ticket, parameters])
  const message = ptb.burn('init_order', usdc, started)
  ptb.publish('init_order::publish_init_order', started, message)
}

function bridge(
  ptb: Ptb,
  { coin, usdc, metadata, to, least, domain }: Crossing,
  redeemFee: bigint,
  isPaidThere: boolean,
): void {
  const plain = [
    coin,
    ptb.pure(u64(least)),
    ptb.pure(to),
    ptb.pure(u32(domain)),
    ptb.pure(u64(0n)),
    ptb.pure(u64(redeemFee)),
  ]
  const module = isPaidThere ? 'bridge_with_fee' : 'bridge_locked_fee'
  const args = isPaidThere ? [ptb.pure(u8(1)), ...plain, ptb.pure(list([]))] : plain
  const ticket = ptb.command(call(`${MAYAN}::${module}::prepare_${module}`, [usdc], args))
  const started = ptb.mayan(`${module}::${module}`, usdc, metadata, [ticket])
  const message = ptb.burn(module, usdc, started)
  if (isPaidThere) {
    ptb.publish('bridge_with_fee::publish_bridge_with_fee', started, message)
    return
  }
  const stored = [ptb.shared(MCTP_STATE), ptb.shared(metadata), nested(started, 0), nested(message, 1)]
  ptb.command(call(`${MAYAN}::bridge_locked_fee::store_bridge_locked_fee`, [usdc], stored))
}

/** Mayan records what was sold, and the referrer. */
function logged(ptb: Ptb, { tokenIn, amountIn }: SuiOrder): void {
  const sold = [ptb.pure(u64(amountIn)), ptb.shared(metadataOf(tokenIn.address)), ptb.pure(list([]))]
  ptb.command(call(`${MAYAN}::init_order::log_initialize_mctp`, [tokenIn.address], sold))
  const referrer = [ptb.pure(address(NOBODY)), ptb.pure(u8(0))]
  ptb.command(call(`${REFERRER_LOGGER}::referrer_logger::log_referrer`, [], referrer))
}

/** An account in 32 bytes. */
const word = (chain: XprovChain, account: string): BcsPart => address(writtenAs('word', chain, account)!)

/** A programmable transaction in the making. */
class Ptb {
  readonly #from: string
  readonly #inputs: BcsPart[] = []
  readonly #commands: BcsPart[] = []
  /** An object is an input once. */
  readonly #shared = new Map<string, BcsPart>()

  constructor(from: string) {
    this.#from = from
  }

  pure(content: BcsPart): BcsPart {
    return this.#input(pure(content))
  }

  shared(id: string): BcsPart {
    let known = this.#shared.get(id)
    if (known === undefined) this.#shared.set(id, (known = this.#input(shared(id))))
    return known
  }

  /** @returns its first result */
  command(part: BcsPart): BcsPart {
    this.#commands.push(part)
    return result(this.#commands.length - 1)
  }

  /** As MystenLabs/ts-sdks packages/sui/src/transactions/intents/CoinWithBalance.ts does it. */
  split({ address: type, isNative }: CrossChainOrder['tokenIn'], amount: bigint): BcsPart {
    const isRedeemed = holdsBalances(this.#from)
    const coin = isRedeemed
      ? this.command(call(`${COIN}::redeem_funds`, [type], [this.#input(withdrawal(amount, type))]))
      : isNative
        ? GAS
        : this.#input(owned(coinOf(this.#from, type)))
    const at = this.#indexed(split(coin, [this.pure(u64(amount))]))
    if (isRedeemed) this.command(call(`${COIN}::send_funds`, [type], [coin, this.pure(address(this.#from))]))
    return nested(at, 0)
  }

  swap(coin: BcsPart, sold: string, bought: string, amount: bigint, minOut: bigint): BcsPart {
    const [router, venue] = this.#from.endsWith('59') ? [...UPGRADED.keys()] : CETUS
    const id = idOf(`quote of ${this.#from} ${amount} ${minOut}`).slice(2, 34)
    const context = this.command(
      call(
        `${router}::router::new_swap_context`,
        [sold, bought],
        [
          this.pure(text(id)),
          this.pure(u64(minOut)),
          this.pure(u64(minOut)),
          coin,
          this.pure(u32(0)),
          this.pure(address(this.#from)),
        ],
      ),
    )
    const pool = this.shared(idOf(`pool of ${sold} and ${bought}`))
    this.command(
      call(
        `${venue}::cetus::swap`,
        [sold, bought],
        [
          context,
          this.shared(CETUS_CONFIG),
          pool,
          this.shared(CETUS_PARTNER),
          this.pure(u8(1)),
          this.pure(u64(amount)),
          this.shared(CLOCK_OBJECT),
        ],
      ),
    )
    return this.command(call(`${router}::router::confirm_swap`, [bought], [context]))
  }

  /** The call that takes what an order begins with. @returns the index of the command */
  mayan(name: string, usdc: string, metadata: string, tickets: readonly BcsPart[]): number {
    const objects = [MCTP_STATE, TRANSMITTER_STATE, metadata].map((id) => this.shared(id))
    return this.#indexed(call(`${MAYAN}::${name}`, [usdc], [...objects, ...tickets]))
  }

  /** @param started  the index of the command that gave the burn request and the deposit ticket */
  burn(module: string, usdc: string, started: number): number {
    const objects = [MESSENGER_STATE, TRANSMITTER_STATE, DENY_LIST, USDC_TREASURY].map((id) =>
      this.shared(id),
    )
    const name = `${TOKEN_MESSENGER}::deposit_for_burn::deposit_for_burn_with_caller_with_package_auth`
    return this.#indexed(
      call(name, [usdc, `${MAYAN}::${module}::CircleAuth`], [nested(started, 1), ...objects]),
    )
  }

  publish(name: string, started: number, burnt: number): void {
    const message = this.command(
      call(`${MAYAN}::${name}`, [], [this.shared(MCTP_STATE), nested(started, 0), nested(burnt, 1)]),
    )
    const fee = this.#indexed(
      holdsBalances(this.#from) ? call(`${COIN}::zero`, [SUI], []) : split(GAS, [this.pure(u64(0n))]),
    )
    const args = [this.shared(WORMHOLE_STATE), nested(fee, 0), message, this.shared(CLOCK_OBJECT)]
    this.command(call(`${WORMHOLE}::publish_message::publish_message`, [], args))
  }

  #indexed(part: BcsPart): number {
    this.#commands.push(part)
    return this.#commands.length - 1
  }

  compose(): string {
    const parts = { inputs: this.#inputs, commands: this.#commands, sender: this.#from }
    // No coin pays for gas.
    return composeSui(
      holdsBalances(this.#from) ? { ...parts, gasCoins: [], expiration: validDuring(EPOCH) } : parts,
    )
  }

  #input(part: BcsPart): BcsPart {
    this.#inputs.push(part)
    return input(this.#inputs.length - 1)
  }
}
