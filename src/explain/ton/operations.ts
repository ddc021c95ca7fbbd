/**
 * What a message on TON asks of its contract. Only the contract decides what it means: an unknown one may
 * keep everything that comes with the message. Known are those whose addresses follow from their code and
 * data (a jetton's wallet, DeDust's vaults and pools), STON.fi's routers, and what `recent` names.
 *
 * Source: TEP-62, TEP-74, TEP-81 · ton-blockchain/dns-contract
 */
import { MAX_TON_GAS } from '../../proof/terms/fees.ts'
import { CellReader, MalformedCell } from '../../proof/ton/cell.ts'
import { dedustPools, dedustVault } from '../../proof/ton/dedust.ts'
import { jettonWallet, LISTED_JETTONS } from '../../proof/ton/jetton-wallet.ts'
import { STON_ROUTERS } from '../../proof/ton/ston-routers.ts'
import { readTonSwap, type TonSwap } from '../../proof/ton/swap.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import type { Findings } from '../findings.ts'
import { costs, destroys, hands, pays, receives, type Stated } from '../ledger.ts'

export interface Sent {
  readonly where: string
  readonly to: string
  /** nanoTON that come with it; null if all TON leave, which is already reported. */
  readonly amount: bigint | null
}

/** nanoTON that an operation uses up if the rest comes back. */
const USED = 50_000_000n
/** The most, in total, that is forwarded to recipients as notifications. */
const NOTICE = 10_000_000n

const JETTON = "the wallet's own of a jetton"

/** An operation's terms for the coins that come with it. */
interface Terms {
  /** nanoTON that go on to the recipient. */
  readonly forward?: bigint
  readonly recipient?: string | null
  /** The recipient of the rest. */
  readonly response: string | null
  /** Whether the contract's address follows from its code and data: then it does as it is asked. */
  readonly isSure: boolean
  /** The kind of contract that it has to be. */
  readonly what: string
}

/** @property words  for what the contract is asked to do, with the coins that come with it */
interface Along {
  readonly effects: Stated[]
  readonly words: (asked: string) => string
}

/** `send 5 USDT` as what a wallet does. */
const thirdPerson = (words: string): string => words.replace(/^\w+/, '$&s')

export class TonOperations {
  readonly #found: Findings
  /** Of the listed jettons by their wallets, for each holder: deriving them costs more than reading. */
  readonly #wallets = new Map<string, ReadonlyMap<string | null, string>>()
  readonly #pools = new Map<string, ReadonlyMap<string, string>>()
  #noticed = 0n

  constructor(found: Findings) {
    this.#found = found
  }

  /** @param body  null for none */
  explain(sent: Sent, body: CellReader | null) {
    if (body === null) return this.#pay(sent)
    const swap = this.#swapIn(sent, body.fork())
    if (swap !== null) return this.#swap(sent, swap)
    if (body.bitsLeft === 0) this.#pay(sent)
    else this.#operation(sent, body)
    // An unread body may mean something to the recipient.
    if (body.bitsLeft >= 8 || body.referencesLeft > 0)
      this.#found.leave(sent.where, 'there is more in its cells than was read')
  }

  #pay({ to, amount }: Sent) {
    if (amount === null) return
    const found = this.#found
    const more = { asset: 'native', amount: String(amount), from: found.owner, to }
    const words = `sends ${this.#says('native', amount)} to ${found.nameOf(to)}`
    found.act('transfer', words, more, this.#value({ amount, to }))
  }

  #operation(sent: Sent, body: CellReader) {
    const found = this.#found
    const operation = body.bitsLeft < 32 ? -1n : body.uint(32)
    switch (operation) {
      case 0n:
        this.#pay(sent)
        return this.#comment(body, sent.to)
      case 0x0f8a7ea5n:
        return this.#sendsJettons(sent, body)
      case 0x595f07bcn:
        return this.#burns(sent, body)
      case 0x5fcc3d14n:
        return this.#sendsNft(sent, body)
      case 0x4eb1f0f9n:
        this.#pay(sent)
        return this.#changesName(sent, body)
      default: {
        this.#pay(sent)
        const isEncrypted = operation === 0x2167da4bn
        const why = isEncrypted
          ? 'its comment is encrypted'
          : `its operation 0x${operation.toString(16)} is not known here`
        found.leave(sent.where, why)
      }
    }
  }

  #sendsJettons(sent: Sent, body: CellReader) {
    const found = this.#found
    body.uint(64)
    const amount = body.coins()
    const [recipient, response] = [body.address(), body.address()]
    if (body.maybeReference() !== null) found.leave(sent.where, 'the jetton gets a payload of its own')
    const forward = body.coins()
    const asset = this.#jettonAt(sent.to, found.owner)
    const more = { program: sent.to, asset, amount: String(amount), from: found.owner, to: recipient }
    const words = `send ${this.#says(asset, amount)} to ${this.#nameOf(recipient)}`
    const along = this.#along(sent, { forward, recipient, response, isSure: asset !== null, what: JETTON })
    found.act('transfer', along.words(words), more, [
      pays(found.owner, asset, amount, recipient),
      ...along.effects,
    ])
    this.#forwarded(sent, body)
  }

  #burns(sent: Sent, body: CellReader) {
    const found = this.#found
    body.uint(64)
    const amount = body.coins()
    const response = body.address()
    if (body.maybeReference() !== null) found.leave(sent.where, 'the jetton gets a payload of its own')
    const asset = this.#jettonAt(sent.to, found.owner)
    const more = { program: sent.to, asset, amount: String(amount), from: found.owner }
    const along = this.#along(sent, { response, isSure: asset !== null, what: JETTON })
    const effects = [destroys(found.owner, asset, amount), ...along.effects]
    found.act('burn', along.words(`destroy ${this.#says(asset, amount)}`), more, effects)
  }

  #sendsNft(sent: Sent, body: CellReader) {
    const found = this.#found
    const { to: nft } = sent
    body.uint(64)
    const [recipient, response] = [body.address(), body.address()]
    if (body.maybeReference() !== null) found.leave(sent.where, 'the NFT gets a payload of its own')
    const forward = body.coins()
    const along = this.#along(sent, { forward, recipient, response, isSure: false, what: 'an NFT' })
    const more = { program: nft, asset: nft, amount: '1', from: found.owner, to: recipient }
    const words = along.words(`give itself, an NFT, to ${this.#nameOf(recipient)}`)
    found.act('transfer', words, more, [pays(found.owner, nft, null, recipient), ...along.effects])
    this.#forwarded(sent, body)
  }

  #changesName({ where, to: name }: Sent, body: CellReader) {
    const found = this.#found
    body.uint(64)
    const isAll = body.uint(256) === 0n
    const record = body.referencesLeft > 0 ? new CellReader(body.reference()) : null
    const kind = record === null || record.bitsLeft < 16 ? null : record.uint(16)
    const words = `asks ${name} to change a record of it, as a name`
    // A wallet, or the contract that answers for names below it.
    if (!isAll && record !== null && (kind === 0x9fd3n || kind === 0xba93n)) {
      const to = record.address()
      const led = hands(found.owner, name, to, 'a record', 'authority_change')
      return found.act('authority', `${words}, to lead to ${this.#nameOf(to)}`, { program: name, to }, [led])
    }
    const isDeleted = !isAll && record === null
    const lost = isDeleted ? [hands(found.owner, name, null, 'a record', 'authority_change')] : []
    found.act('authority', words, { program: name }, lost)
    if (isDeleted) return
    found.leave(where, 'where the name leads then')
    found.risk('authority_change', `Where the name ${name} leads is changed.`)
  }

  /**
   * A payload that is forwarded with a jetton or an NFT: a comment, or something that the recipient reads.
   */
  #forwarded({ where }: Sent, body: CellReader) {
    const payload = body.bit() ? new CellReader(body.reference()) : body
    if (payload.bitsLeft === 0 && payload.referencesLeft === 0) return
    if (payload.bitsLeft < 32 || payload.uint(32) !== 0n)
      return this.#found.leave(where, 'what goes on to the recipient is not known here')
    this.#comment(payload, null)
  }

  #comment(body: CellReader, to: string | null) {
    const text = snake(body).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·')
    this.#found.act('memo', `says ${JSON.stringify(text.slice(0, 200))}`, { to }, [])
    const reason = "A comment is its writer's text: at most its recipient acts on it."
    this.#found.risk('sender_text', reason, 'info')
  }

  #swapIn({ to }: Sent, body: CellReader): TonSwap | null {
    const { owner } = this.#found
    if (owner === null) return null
    try {
      const swap = readTonSwap(body, { to, from: owner, mayRefer: true })
      if (swap.bought.by !== 'pool' || !swap.isJettonTransfer) return swap
      // Only the jetton shows whether it is a vault at all.
      const sold = this.#jettonAt(to, owner)
      return sold !== null && swap.router === dedustVault(sold) ? swap : null
    } catch (error) {
      if (error instanceof GatewayError || error instanceof MalformedCell) return null
      throw error
    }
  }

  #swap(sent: Sent, swap: TonSwap) {
    const found = this.#found
    const { amountIn, minOut, recipient, router, excessesTo, isJettonTransfer, referral } = swap
    const isTon = !isJettonTransfer || STON_ROUTERS.get(router)?.ptonWallet === sent.to
    const sold = isTon ? 'native' : this.#jettonAt(sent.to, found.owner)
    const bought = this.#boughtBy(swap, sold)
    const beside = { ...sent, amount: (sent.amount ?? 0n) - (isTon ? amountIn : 0n) }
    const response = excessesTo ?? (isJettonTransfer ? null : found.owner)
    const along = this.#along(beside, { response, isSure: sold !== null, what: JETTON })
    const effects = [
      pays(found.owner, sold, amountIn, router, { isKnown: true }),
      receives(recipient, bought, minOut),
      ...along.effects,
    ]
    const more = { asset: sold, amount: String(amountIn), from: found.owner, to: recipient }
    const [gives, gets] = [this.#says(sold, amountIn), this.#says(bought, minOut)]
    const fields = { at_least: String(minOut) }
    const gains = found.isOwn(recipient) ? '' : ` for ${this.#nameOf(recipient)}`
    const fee = referral ? `, after ${Number(referral.bps) / 100} % for ${referral.to}` : ''
    const place = swap.bought.by === 'pool' ? 'DeDust' : 'STON.fi'
    const words = `swap ${gives} for at least ${gets}${gains} at ${place}${fee}`
    found.act('swap', along.words(words), { program: router, ...more, fields }, effects)
    if (referral) found.meets(referral.to)
    if (bought === null) found.leave(sent.where, 'which token is bought')
    if (minOut <= 1n) found.risk('no_minimum', `At least ${gets} arrive.`)
    if (!found.isNamed(recipient)) found.risk('foreign_recipient', `What is bought goes to ${recipient}.`)
  }

  /** @returns the bought token; null if it is unknown here */
  #boughtBy({ bought }: TonSwap, sold: string | null): string | null {
    if (bought.by === 'pool') return sold === null ? null : (this.#poolsOf(sold).get(bought.pool) ?? null)
    const isTon = bought.wallet === STON_ROUTERS.get(bought.router)?.ptonWallet
    return isTon ? 'native' : this.#jettonAt(bought.wallet, bought.router)
  }

  /** Where the coins of an operation go: on to its recipient, and the rest. */
  #along(
    { where, to, amount }: Sent,
    { forward = 0n, recipient = null, response, isSure, what }: Terms,
  ): Along {
    const found = this.#found
    const { owner } = found
    const says = (coins: bigint) => this.#says('native', coins)
    const asked = (words: string) => (isSure ? thirdPerson(words) : `asks ${to} to ${words}`)
    const along = (effects: Stated[], ...parts: string[]): Along => ({
      effects,
      words: (words) =>
        [asked(words), ...(parts.length > 0 ? [`with ${parts.join(' and ')}`] : [])].join(', '),
    })
    if (!isSure && !found.recent.has(to)) {
      const why = `whether ${to} is ${what}: any other contract may keep the TON that come with it`
      found.leave(where, why)
      return along(this.#value({ amount, to }), ...(amount ? [`${says(amount)} to it`] : []))
    }
    this.#noticed += forward
    const on = this.#noticed > NOTICE ? [pays(owner, 'native', forward, recipient)] : []
    const parts = on.map(() => `${says(forward)} to ${this.#nameOf(recipient)}`)
    const rest = (amount ?? 0n) - (on.length > 0 ? forward : 0n)
    if (rest <= 0n) return along(on, ...parts)
    if (response !== null && !found.isOwn(response)) {
      const lost = pays(owner, 'native', rest, response, { code: 'foreign_recipient' })
      return along([...on, lost], ...parts, `${says(rest)} for gas, the rest of which goes to ${response}`)
    }
    const isBack = response !== null && (rest <= MAX_TON_GAS || !isSure)
    const used = isBack && rest > USED ? USED : rest
    // The named contract may not be one, and keep what would come back.
    const kept = isSure || rest === used ? [] : [pays(owner, 'native', rest - used, to)]
    const back = isSure ? 'the rest of which comes back' : 'the rest of which it may send back'
    const gas = `${says(rest)} for gas, ${response === null ? 'none of which comes back' : back}`
    return along([...on, costs(owner, 'native', used, null, { what: 'gas' }), ...kept], ...parts, gas)
  }

  /** All of them to the contract, which may keep them. */
  #value = ({ amount, to }: Pick<Sent, 'amount' | 'to'>): Stated[] =>
    amount === null || to === this.#found.owner ? [] : [pays(this.#found.owner, 'native', amount, to)]

  /** @returns the jetton whose wallet of the holder's this is; null if unknown here */
  #jettonAt(wallet: string, holder: string | null): string | null {
    if (holder === null) return null
    const walletsOf = () => new Map(LISTED_JETTONS.map((jetton) => [jettonWallet(jetton, holder), jetton]))
    return getOrInsert(this.#wallets, holder, walletsOf).get(wallet) ?? null
  }

  /** DeDust's pools of a token with those that are listed: what each pays out. */
  #poolsOf(sold: string): ReadonlyMap<string, string> {
    return getOrInsert(this.#pools, sold, () => {
      const asset = (token: string) => (token === 'native' ? null : token)
      const others = ['native', ...LISTED_JETTONS].filter((token) => token !== sold)
      const poolsWith = (token: string) =>
        dedustPools(asset(sold), asset(token)).map((pool) => [pool, token] as const)
      return new Map(others.flatMap(poolsWith))
    })
  }

  #says = (asset: string | null, amount: bigint): string =>
    this.#found.says({ asset, amount: String(amount) })
  #nameOf = (to: string | null): string => (to === null ? 'nobody' : this.#found.nameOf(to))
}

/** Text over several cells. */
function snake(reader: CellReader): string {
  const bytes: number[] = []
  for (let at: CellReader | null = reader, cells = 0; at !== null && cells < 64; cells++) {
    while (at.bitsLeft >= 8) bytes.push(Number(at.uint(8)))
    at = at.referencesLeft > 0 ? new CellReader(at.reference()) : null
  }
  return new TextDecoder().decode(Uint8Array.from(bytes))
}
