/**
 * Explains TON messages as TON Connect brings them, and the bodies that wallets of version 3, 4 and 5 sign.
 *
 * Source: docs.ton.org (send modes) · ton-blockchain/wallet-contract-v5 · ton-blockchain/wallet-contract
 * func/wallet-v4-code.fc · ton-blockchain/ton crypto/block/block.tlb
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { parseAddress } from '../../chains/address.ts'
import type { Fields } from '../../chains/json/fields.ts'
import { friendlyTonAddress } from '../../chains/ton-address.ts'
import { LEAST_TON_GAS } from '../../proof/terms/fees.ts'
import { bagIn, type Cell } from '../../proof/ton/boc.ts'
import { CellReader, cellHash, MalformedCell } from '../../proof/ton/cell.ts'
import { decodeBase64 } from '../../runtime/base64.ts'
import type { Findings } from '../findings.ts'
import { costs, hands, pays } from '../ledger.ts'
import type { ExplainRequest } from '../types.ts'
import { TonOperations } from './operations.ts'

const WHOLE_BALANCE = 128
const DESTROYS = 32
/** Whether fees are apart, errors ignored, a failure bounced, and an empty wallet destroyed. */
const FLAGS = 1 | 2 | 16 | DESTROYS
const USUAL_MODE = 3
/** As many as a wallet of version 5 sends. */
const MOST_MESSAGES = 255
/** TON Connect's name for it. */
const MAIN_NETWORK = '-239'

/** @param turn  lets others have the thread */
export async function explainTon(request: ExplainRequest, found: Findings, turn?: () => Promise<void>) {
  const { transaction, messages } = request
  const reading = new Reading(found)
  if (transaction !== undefined) {
    const root = bagIn(transaction)
    if (root === null) return found.leave('transaction', 'it is no bag of cells')
    return reading.guarded('transaction', root, () => reading.wallet(root))
  }
  const list = Array.isArray(messages) ? messages : messagesOf(messages, found)
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_MESSAGES)
    return found.leave('transaction', `it has no messages, or more than ${MOST_MESSAGES}`)
  for (const [i, message] of list.entries()) {
    await turn?.()
    reading.asked(`message ${i + 1}`, message)
  }
}

/** Names members that are not read: wallets may act on them. */
function left(where: string, members: Fields, found: Findings) {
  for (const name of Object.keys(members))
    if (members[name] != null)
      found.leave(where, `its member ${JSON.stringify(name.slice(0, 64))} is not read`)
}

/** The members of TON Connect's request next to the messages. */
function messagesOf(request: unknown, found: Findings): unknown {
  const { messages, network, from, valid_until, validUntil, ...others } = Object(request) as Fields
  left('request', others, found)
  if (network != null && network !== MAIN_NETWORK)
    found.riskOfAll('other_chain', `It is for the network ${String(network).slice(0, 64)}.`)
  if (from != null) {
    const sender = typeof from === 'string' ? parseAddress(found.chain, from) : null
    found.owner ??= sender
    if (!found.isOwn(sender)) found.riskOfAll('not_signer', `${sender} sends this.`)
  }
  for (const until of [valid_until, validUntil])
    if (until != null && !Number.isSafeInteger(until))
      found.leave('request', 'until when it is valid is no Unix time')
  return messages
}

interface Message {
  readonly where: string
  readonly to: string
  readonly amount: bigint
  readonly mode: number
}

const V5_OPERATIONS: ReadonlySet<bigint> = new Set([0x7369676en, 0x73696e74n])
const SIGNATURE_BITS = 512
/** Of versions 3 and 4: which of the key's wallets, until when, and the number. */
const HEAD_BITS = 96
/** The most of a contract's code and data: whatever is longer, a wallet of version 3 may send as a message. */
const STATE_BITS = 12
const ALL_POWER = 'all power over the wallet'

class Reading {
  readonly #found: Findings
  readonly #operations: TonOperations

  constructor(found: Findings) {
    this.#found = found
    this.#operations = new TonOperations(found)
  }

  /** What does not read is unknown. */
  guarded(where: string, root: Cell | null, read: () => void) {
    try {
      read()
    } catch (error) {
      if (!(error instanceof MalformedCell)) throw error
      this.#found.leave(where, `its cells hold something else: ${error.message}`, root?.data ?? null)
    }
  }

  /** A message of TON Connect's. */
  asked(where: string, asked: unknown) {
    const found = this.#found
    const { address, amount, payload, stateInit, mode, extra_currency, ...others } = Object(asked) as Fields
    left(where, { extra_currency, ...others }, found)
    const sendMode = mode ?? USUAL_MODE
    if (typeof amount !== 'string' || !/^(?:0|[1-9]\d{0,38})$/.test(amount))
      return found.leave(where, 'its amount is no decimal number of nanoTON')
    if (!Number.isInteger(sendMode) || Number(sendMode) < 0 || Number(sendMode) > 255)
      return found.leave(where, 'its send mode is no number of a byte')
    const to = typeof address === 'string' ? parseAddress(found.chain, address) : null
    if (to === null) return found.leave(where, 'its recipient is no address of this network')
    if (stateInit != null)
      this.#deploys(where, to, typeof stateInit === 'string' ? decodeBase64(stateInit) : null)
    if (extra_currency != null) this.#otherCurrencies(to)
    const root = typeof payload === 'string' ? bagIn(payload) : null
    const isUnread = payload != null && root === null
    if (isUnread) found.leave(where, 'its payload is no bag of cells')
    this.guarded(where, root, () => {
      const message = { where, to, amount: BigInt(amount), mode: Number(sendMode) }
      this.#sends(message, root === null ? null : new CellReader(root))
    })
  }

  #sends({ where, to, amount, mode }: Message, body: CellReader | null) {
    const found = this.#found
    const base = mode & ~FLAGS
    if (base !== 0 && base !== WHOLE_BALANCE)
      found.leave(where, `send mode ${mode} adds what came in, or is none`)
    if ((mode & WHOLE_BALANCE) !== 0) {
      const more = { asset: 'native', from: found.owner, to }
      const words = `sends all ${found.chain.native} to ${found.nameOf(to)}, whatever the amount says`
      found.act('transfer', words, more, [pays(found.owner, 'native', null, to)])
      found.risk(
        'whole_balance',
        `Send mode ${mode} takes the whole balance, not ${found.says({ asset: 'native', amount: String(amount) })}.`,
      )
    }
    if ((mode & DESTROYS) !== 0)
      found.risk('account_control', `Send mode ${mode} destroys the wallet once it is empty.`)
    this.#operations.explain({ where, to, amount: (mode & WHOLE_BALANCE) === 0 ? amount : null }, body)
  }

  #otherCurrencies(to: string): void {
    const { owner } = this.#found
    const words = `sends other currencies to ${this.#found.nameOf(to)}`
    this.#found.act('transfer', words, { from: owner, to }, [pays(owner, null, null, to)])
  }

  #deploys(where: string, to: string, code: Uint8Array | null) {
    this.#found.act('deploy', `creates the contract ${to}`, { program: to, to }, [])
    this.#found.leave(where, 'what the new contract does is its code', code)
  }

  /** A body that a wallet signs, with its signature or before it has one. */
  wallet(root: Cell) {
    const body = new CellReader(root)
    if (V5_OPERATIONS.has(body.fork().uint(32))) return this.#version5(body)
    // Versions 3 and 4 have it first, and no body of theirs is as long.
    if (body.bitsLeft >= SIGNATURE_BITS + HEAD_BITS) body.uint(SIGNATURE_BITS)
    body.uint(HEAD_BITS)
    // Version 3 has no operation: a mode for each message, and nothing else.
    const isPlain = () => body.bitsLeft === 8 * body.referencesLeft
    const operation = isPlain() ? 0n : body.uint(8)
    if (operation !== 0n) return this.#plugin(operation, body)
    if (!isPlain()) throw new MalformedCell('no body of a wallet of version 3, 4 or 5')
    for (let i = 1; body.referencesLeft > 0; i++)
      this.#message(`message ${i}`, Number(body.uint(8)), body.reference())
  }

  /** Version 4: 1 deploys and installs, 2 installs, 3 removes. */
  #plugin(operation: bigint, body: CellReader) {
    const found = this.#found
    const { owner } = found
    const verb = new Map([
      [1n, 'creates and installs'],
      [2n, 'installs'],
      [3n, 'removes'],
    ]).get(operation)
    if (verb === undefined) throw new MalformedCell('no body of a wallet of version 3, 4 or 5')
    const isNew = operation === 1n
    const workchain = isNew ? BigInt.asIntN(8, body.uint(8)) : 0n
    if (workchain !== 0n && workchain !== -1n) throw new MalformedCell('workchain')
    const account = isNew ? null : body.account()
    const amount = body.coins()
    const state = isNew ? body.reference() : null
    if (isNew) body.reference()
    else body.uint(64)
    body.end()
    if (state !== null && new CellReader(state).bitsLeft > STATE_BITS) throw new MalformedCell('state')
    const to = account ?? friendlyTonAddress(`${workchain}:${bytesToHex(cellHash(state!).hash)}`)
    const isGone = operation === 3n
    // A removed plugin may keep the coins for its own removal.
    const coins = pays(owner, 'native', amount, to, { isKnown: isGone && amount <= LEAST_TON_GAS })
    const said = found.says({ asset: 'native', amount: String(amount) })
    const more = { to, asset: 'native', amount: String(amount), from: owner }
    found.act(isGone ? 'revoke' : 'authority', `${verb} the plugin ${to}, and sends it ${said}`, more, [
      ...(isGone ? [] : [hands(owner, owner, to, ALL_POWER, 'account_control')]),
      coins,
    ])
  }

  #version5(body: CellReader) {
    // The operation, the wallet, until when, and the number.
    body.uint(128)
    const actions = body.maybeReference()
    if (actions !== null) this.#actions(actions)
    if (body.bit()) this.#extended(body)
    this.#ended(body, SIGNATURE_BITS)
  }

  /** @param more  bits that may follow */
  #ended({ bitsLeft, referencesLeft }: CellReader, more = 0) {
    if ((bitsLeft !== 0 && bitsLeft !== more) || referencesLeft > 0)
      this.#found.leave('transaction', 'there is more in its cells than was read')
  }

  /** An action list: the last action first, and those before it in its first reference. */
  #actions(list: Cell) {
    const found = this.#found
    const actions: CellReader[] = []
    for (
      let reader = new CellReader(list);
      reader.bitsLeft > 0 || reader.referencesLeft > 0;
      reader = new CellReader(reader.reference())
    ) {
      actions.unshift(reader)
      if (actions.length > MOST_MESSAGES) {
        found.leave('transaction', `it has more than ${MOST_MESSAGES} actions`)
        break
      }
    }
    for (const [i, reader] of actions.entries()) this.#action(`action ${i + 1}`, reader)
  }

  #action(where: string, reader: CellReader) {
    const found = this.#found
    switch (reader.uint(32)) {
      case 0x0ec3c86dn: {
        const mode = Number(reader.uint(8))
        this.guarded(where, null, () => this.#message(where, mode, reader.reference()))
        return this.#ended(reader)
      }
      case 0xad4de08en:
        found.act('upgrade', "asks to replace the wallet's code", {}, null)
        return found.risk('upgrade', 'The wallet may run other code from then on.')
      default:
        return found.leave(where, 'the action is not known here')
    }
  }

  #extended(first: CellReader) {
    const found = this.#found
    const { owner } = found
    for (let at: CellReader | null = first; at !== null; ) {
      const kind: bigint = at.uint(8)
      if (kind === 2n || kind === 3n) {
        const who = at.address()
        const effects = kind === 3n ? [] : [hands(owner, owner, who, ALL_POWER, 'account_control')]
        const words = `${kind === 3n ? 'removes' : 'adds'} the extension ${who}`
        found.act(kind === 3n ? 'revoke' : 'authority', words, { to: who }, effects)
      } else if (kind === 4n) {
        const isAllowed = at.bit()
        const words = isAllowed
          ? 'lets signatures act for the wallet'
          : 'lets only extensions act for the wallet'
        const lost = isAllowed ? [] : [hands(owner, owner, null, 'the power to sign', 'account_control')]
        found.act('authority', words, {}, lost)
      } else return found.leave('action', 'an extended action that is not known here')
      const next: CellReader | null = at.referencesLeft > 0 ? new CellReader(at.reference()) : null
      if (at !== first) this.#ended(at)
      at = next
    }
  }

  /** MessageRelaxed: int_msg_info$0. */
  #message(where: string, mode: number, cell: Cell) {
    const found = this.#found
    const reader = new CellReader(cell)
    if (reader.bit()) return found.leave(where, 'it goes out of the chain')
    reader.uint(3)
    reader.address()
    const to = reader.address()
    if (to === null) return found.leave(where, 'it goes to nobody')
    const amount = reader.coins()
    if (reader.maybeReference() !== null) {
      this.#otherCurrencies(to)
      found.leave(where, 'which other currencies it carries')
    }
    const fees = reader.coins() + reader.coins()
    reader.uint(96)
    if (reader.bit()) {
      this.#deploys(where, to, null)
      if (!reader.bit()) {
        this.#sends({ where, to, amount, mode }, null)
        return found.leave(where, 'its state stands in place')
      }
      reader.reference()
    }
    const body = reader.bit() ? new CellReader(reader.reference()) : reader
    if (body !== reader) this.#ended(reader)
    this.guarded(where, cell, () => this.#sends({ where, to, amount, mode }, body))
    if (fees > 0n)
      found.state(costs(found.owner, 'native', fees, null, { what: 'fees that its writer chose' }))
  }
}
