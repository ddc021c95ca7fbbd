/**
 * Unsigned transactions of Sui's in the form that the cross-chain provider
 * hands out, real to the last byte.
 *
 * Source: docs.li.fi · CetusProtocol/aggregator src/movecall/router.ts, src/movecall/cetus.ts ·
 * developers.circle.com/cctp/v1/sui-packages
 */
import { burnDomain } from '../../proof/sui-packages.ts'
import {
  address,
  type BcsPart,
  call,
  coinOf,
  composeSui,
  GAS,
  idOf,
  input,
  nested,
  owned,
  pure,
  result,
  shared,
  split,
  text,
  transfer,
  u8,
  u32,
  u64,
} from '../sui/compose.ts'
import type { CrossChainOrder } from './xprov-desk.ts'

const CETUS_ROUTER = '0xde5d696a79714ca5cb910b9aed99d41f67353abb00715ceaeb0663d57ee39640'
const CETUS_VENUE = '0x721d950e57259cd97d41010887ab502ee7753b0a3deb4b6a80099aad0c833928'
/** Its GlobalConfig and the partner that its SDK names. */
const CETUS_CONFIG = '0xdaa46292632c3c4d8f31f23ea0f9b36a28ff3677e9684980e4438403a67a3d8f'
const CETUS_PARTNER = '0x639b5e433da31739e800cd085f356e64cae222966d0f1b11bd9dc76b322ff58b'
/** Circle's bridge on Sui: the package, the states of its two halves, and USDC's treasury. */
const TOKEN_MESSENGER = '0x2aa6c5d56376c371f88a6cc42e852824994993cb9bab8d3e6450cbe3cb32b94e'
const MESSENGER_STATE = '0x45993eecc0382f37419864992c12faee2238f5cfe22b98ad3bf455baf65c8a2f'
const TRANSMITTER_STATE = '0xf68268c3d9b1df3215f2439400c1c4ea08ac4ef4bb7d6f3ca6a2a239e17510af'
const USDC_TREASURY = '0x57d6725e7a8b49a7b2a612f6bd66ab5f39fc95332ca48be421c3229d514a6de7'
const DENY_LIST = '0x403'
const CLOCK = '0x6'

/** What a provider orders for a swap within Sui, or for the half of a cross-chain swap that happens there. */
type SuiOrder = Pick<
  CrossChainOrder,
  'fromChain' | 'toChain' | 'tokenIn' | 'tokenOut' | 'amountIn' | 'from' | 'to'
>

/**
 * A TransactionData in base64. Within Sui it is a swap by Cetus's V3 router,
 * whose outcome the wallet gets. To USDC on a chain that Circle's bridge leads
 * to, the input is swapped to USDC and burnt for `to`. To anything else the coin
 * goes to a deposit address, as it does with bridges that keep their books
 * elsewhere; the gateway hands none of those out.
 */
export function suiTransaction(ask: SuiOrder, minOut: bigint): string {
  const { fromChain, toChain, tokenIn, tokenOut, amountIn, from, to } = ask
  const ptb = new Ptb(from)
  const sold = ptb.split(tokenIn, amountIn)
  if (fromChain === toChain) {
    const bought = ptb.swap(sold, tokenIn.address, tokenOut.address, amountIn, minOut)
    ptb.command(transfer([bought], ptb.pure(address(to))))
    return ptb.compose()
  }
  const usdc = (chain: CrossChainOrder['fromChain']) =>
    chain.stablecoins.find(({ symbol }) => symbol === 'USDC')?.address
  const domain = burnDomain(toChain.key)
  if (domain === null || usdc(toChain) !== tokenOut.address) {
    ptb.command(transfer([sold], ptb.pure(address(idOf(`deposit of ${from} for ${to}`)))))
    return ptb.compose()
  }
  const burnt = usdc(fromChain)!
  const coin = tokenIn.address === burnt ? sold : ptb.swap(sold, tokenIn.address, burnt, amountIn, minOut)
  const args = [
    coin,
    ptb.pure(u32(Number(domain))),
    ptb.pure(address(to.toLowerCase())),
    ...[MESSENGER_STATE, TRANSMITTER_STATE, DENY_LIST, USDC_TREASURY].map((id) => ptb.shared(id)),
  ]
  ptb.command(call(`${TOKEN_MESSENGER}::deposit_for_burn::deposit_for_burn`, [burnt], args))
  return ptb.compose()
}

/** A programmable transaction in the making. */
class Ptb {
  readonly #from: string
  readonly #inputs: BcsPart[] = []
  readonly #commands: BcsPart[] = []

  constructor(from: string) {
    this.#from = from
  }

  pure(content: BcsPart): BcsPart {
    return this.#input(pure(content))
  }

  shared(id: string): BcsPart {
    return this.#input(shared(id))
  }

  /** @returns its first result */
  command(part: BcsPart): BcsPart {
    this.#commands.push(part)
    return result(this.#commands.length - 1)
  }

  split({ address, isNative }: CrossChainOrder['tokenIn'], amount: bigint): BcsPart {
    const coin = isNative ? GAS : this.#input(owned(coinOf(this.#from, address)))
    this.command(split(coin, [this.pure(u64(amount))]))
    return nested(this.#commands.length - 1, 0)
  }

  swap(coin: BcsPart, sold: string, bought: string, amount: bigint, minOut: bigint): BcsPart {
    const id = idOf(`quote of ${this.#from} ${amount} ${minOut}`).slice(2, 34)
    const context = this.command(
      call(
        `${CETUS_ROUTER}::router::new_swap_context`,
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
        `${CETUS_VENUE}::cetus::swap`,
        [sold, bought],
        [
          context,
          this.shared(CETUS_CONFIG),
          pool,
          this.shared(CETUS_PARTNER),
          this.pure(u8(1)),
          this.pure(u64(amount)),
          this.shared(CLOCK),
        ],
      ),
    )
    return this.command(call(`${CETUS_ROUTER}::router::confirm_swap`, [bought], [context]))
  }

  compose(): string {
    return composeSui({ inputs: this.#inputs, commands: this.#commands, sender: this.#from })
  }

  #input(part: BcsPart): BcsPart {
    this.#inputs.push(part)
    return input(this.#inputs.length - 1)
  }
}
