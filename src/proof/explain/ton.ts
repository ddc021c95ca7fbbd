/**
 * Explains TON messages as TON Connect brings them, and the bodies that wallets of version 4 and 5 sign.
 *
 * Source: TEP-62, TEP-74, TEP-81 · docs.ton.org (send modes) · ton-blockchain/wallet-contract-v5 ·
 * ton-blockchain/wallet-contract func/wallet-v4-code.fc · ton-blockchain/ton crypto/block/block.tlb
 */
import { parseAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { friendlyTonAddress } from '../../chains/ton-address.ts'
import { decodeBase64 } from '../../runtime/base64.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { type Cell, parseBoc } from '../boc.ts'
import { CellReader, MalformedCell } from '../cell.ts'
import { jettonWallet } from '../jetton-wallet.ts'
import { readTonSwap, type TonSwap } from '../ton-swap.ts'
import type { Findings } from './findings.ts'
import type { ExplainRequest } from './types.ts'

interface Sent {
  readonly where: string
  readonly to: string | null
  readonly amount: bigint
  readonly mode: number
}

/** Beyond this much nanoTON, what goes along with a jetton is no gas. */
const MOST_GAS = 1_000_000_000n
const WHOLE_BALANCE = 128
const DESTROYS = 32
const USUAL_MODE = 3
/** As many as a wallet of version 5 sends. */
const MOST_MESSAGES = 255
/** TON Connect's name for it. */
const MAIN_NETWORK = '-239'

/** @param turn  lets others have the thread */
export async function explainTon(
  { transaction, messages }: ExplainRequest,
  chain: ChainDefinition,
  found: Findings,
  turn?: () => Promise<void>,
) {
  if (transaction !== undefined) {
    const root = cellOf(transaction)
    if (root === null) return found.leave('transaction', 'it is no bag of cells')
    return guarded('transaction', root, found, () => readBody(root, chain, found))
  }
  const list = Array.isArray(messages) ? messages : messagesOf(messages, chain, found)
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_MESSAGES)
    return found.leave('transaction', `it has no messages, or more than ${MOST_MESSAGES}`)
  for (const [i, message] of list.entries()) {
    await turn?.()
    readAsked(`message ${i + 1}`, message, chain, found)
  }
}

type Members = Readonly<Record<string, unknown>>

/** Names members that are not read: wallets may act on them. */
function left(where: string, members: Members, found: Findings) {
  for (const name of Object.keys(members))
    if (members[name] != null)
      found.leave(where, `its member ${JSON.stringify(name.slice(0, 64))} is not read`)
}

/** What TON Connect says beside the messages. */
function messagesOf(request: unknown, chain: ChainDefinition, found: Findings): unknown {
  const { messages, network, from, valid_until, validUntil, ...others } = Object(request) as Members
  left('request', others, found)
  if (network != null && network !== MAIN_NETWORK)
    found.risk('other_chain', `It is for the network ${String(network).slice(0, 64)}.`, 'danger', true)
  if (from != null) {
    const sender = typeof from === 'string' ? parseAddress(chain, from) : null
    found.owner ??= sender
    if (!found.isOwn(sender)) found.risk('not_signer', `${sender} sends this.`, 'warning', true)
  }
  for (const until of [valid_until, validUntil])
    if (until != null && !Number.isSafeInteger(until))
      found.leave('request', 'until when it is valid is no Unix time')
  return messages
}

function readAsked(where: string, asked: unknown, chain: ChainDefinition, found: Findings) {
  const { address, amount, payload, stateInit, mode, ...others } = Object(asked) as Members
  left(where, others, found)
  const sendMode = mode ?? USUAL_MODE
  if (typeof amount !== 'string' || !/^(?:0|[1-9]\d{0,38})$/.test(amount))
    return found.leave(where, 'its amount is no decimal number of nanoTON')
  if (!Number.isInteger(sendMode) || Number(sendMode) < 0 || Number(sendMode) > 255)
    return found.leave(where, 'its send mode is no number of a byte')
  const to = typeof address === 'string' ? parseAddress(chain, address) : null
  if (to === null) return found.leave(where, 'its recipient is no address of this network')
  const sent = { where, to, amount: BigInt(amount), mode: Number(sendMode) }
  judgeMode(sent, found)
  if (stateInit != null) deploys(sent, found, typeof stateInit === 'string' ? decodeBase64(stateInit) : null)
  const root = typeof payload === 'string' ? cellOf(payload) : null
  if (payload != null && root === null) return found.leave(where, 'its payload is no bag of cells')
  guarded(where, root, found, () => explainBody(sent, root, chain, found))
}

function cellOf(base64: string): Cell | null {
  const bytes = decodeBase64(base64)
  return bytes && parseBoc(bytes)
}

/** What does not read is unknown. */
function guarded(where: string, root: Cell | null, found: Findings, read: () => void) {
  try {
    read()
  } catch (error) {
    if (!(error instanceof MalformedCell)) throw error
    found.leave(where, `its cells hold something else: ${error.message}`, root?.data ?? null)
  }
}

function judgeMode({ to, mode, amount }: Sent, found: Findings) {
  if ((mode & WHOLE_BALANCE) !== 0) {
    found.act('transfer', `sends all TON to ${to}, whatever the amount says`, {
      asset: 'native',
      from: found.owner,
      to,
    })
    found.risk('whole_balance', `Send mode ${mode} takes the whole balance, not ${amount}.`)
  }
  if ((mode & DESTROYS) !== 0)
    found.risk('account_control', `Send mode ${mode} destroys the wallet once it is empty.`)
}

function deploys({ where, to }: Sent, found: Findings, code: Uint8Array | null) {
  found.act('deploy', `creates the contract ${to}`, { program: to, to })
  found.leave(where, 'what the new contract does is its code', code)
}

const pays = ({ to, amount }: Sent, found: Findings): void => {
  found.act('transfer', `sends ${amount} nanoTON to ${to}`, {
    asset: 'native',
    amount: String(amount),
    from: found.owner,
    to,
  })
  if (!found.isOwn(to)) found.pays(to, `${amount} nanoTON`)
}

function explainBody(sent: Sent, root: Cell | null, chain: ChainDefinition, found: Findings) {
  const body = root === null ? null : new CellReader(root)
  if (body === null || body.bitsLeft === 0) return pays(sent, found)
  const swap =
    root === null || sent.to === null || found.owner === null ? null : swapIn(root, sent.to, found.owner)
  if (swap !== null) return swaps(sent, swap, chain, found)
  readOperation(sent, body, chain, found)
  ended(sent, body, found)
}

/** What was not read may mean something to the recipient. */
function ended({ where }: Sent, body: CellReader, found: Findings) {
  const isRead = body.bitsLeft < 8 && body.referencesLeft === 0
  if (!isRead) found.leave(where, 'there is more in its cells than was read')
}

function swapIn(root: Cell, to: string, from: string): TonSwap | null {
  try {
    return readTonSwap(root, { to, from })
  } catch (error) {
    if (error instanceof GatewayError || error instanceof MalformedCell) return null
    throw error
  }
}

function swaps(sent: Sent, swap: TonSwap, chain: ChainDefinition, found: Findings) {
  const { amountIn, minOut, recipient, router, excessesTo, isJettonTransfer } = swap
  found.act('swap', `swaps ${amountIn} for at least ${minOut} at ${router}`, {
    program: router,
    asset: isJettonTransfer ? jettonAt(sent.to!, chain, found) : 'native',
    amount: String(amountIn),
    from: found.owner,
    to: recipient,
    fields: { at_least: String(minOut) },
  })
  if (minOut <= 1n) found.risk('no_minimum', `At least ${minOut} arrive.`)
  if (!found.isOwn(recipient)) found.risk('foreign_recipient', `What is bought goes to ${recipient}.`)
  if (excessesTo !== null && !found.isOwn(excessesTo))
    found.risk('foreign_recipient', `What is left goes to ${excessesTo}.`)
  if (isJettonTransfer) isJettonWallet(sent, chain, found)
  else if (sent.to !== router) pays(sent, found)
}

/** The jetton whose wallet of the owner's this is; null where nobody here can tell. */
function jettonAt(wallet: string, chain: ChainDefinition, found: Findings): string | null {
  const { owner } = found
  if (owner === null) return null
  let wallets = ownWallets.get(found)
  if (wallets === undefined) {
    wallets = new Map(chain.stablecoins.map(({ address }) => [jettonWallet(address, owner), address]))
    ownWallets.set(found, wallets)
  }
  return wallets.get(wallet) ?? null
}

/** The owner's wallets of the jettons that are known here, by their addresses: deriving them costs more than reading. */
const ownWallets = new WeakMap<Findings, ReadonlyMap<string | null, string>>()

/** A message about jettons goes to the wallet's own jetton wallet, or to nobody who is known. */
function isJettonWallet({ where, to, amount }: Sent, chain: ChainDefinition, found: Findings) {
  if (to === null || (jettonAt(to, chain, found) === null && !found.recent.has(to)))
    found.leave(where, `whether ${to} is the wallet's own of a jetton, and of which`)
  if (amount > MOST_GAS) found.risk('high_fee', `${amount} nanoTON go along.`, 'warning')
}

const canonicalOf = (raw: string | null): string | null => (raw === null ? null : friendlyTonAddress(raw))

function readOperation(sent: Sent, body: CellReader, chain: ChainDefinition, found: Findings) {
  const { where, to } = sent
  const op = body.bitsLeft < 32 ? -1n : body.uint(32)
  switch (op) {
    case 0n: {
      pays(sent, found)
      const text = snake(body).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·')
      found.act('memo', `says ${JSON.stringify(text.slice(0, 200))}`, { to })
      return found.risk('sender_text', "A comment is its writer's text: nothing of it happens.", 'info')
    }
    case 0x0f8a7ea5n: {
      body.uint(64)
      const amount = body.coins()
      const [recipient, response] = [canonicalOf(body.address()), canonicalOf(body.address())]
      if (body.maybeReference() !== null) found.leave(where, 'the jetton gets a payload of its own')
      const forward = body.coins()
      found.act('transfer', `sends ${amount} of a jetton to ${recipient}`, {
        program: to,
        asset: jettonAt(to!, chain, found),
        amount: String(amount),
        from: found.owner,
        to: recipient,
      })
      if (!found.isOwn(recipient)) found.pays(recipient, `${amount} of a jetton`)
      if (response !== null && !found.isOwn(response))
        found.risk('foreign_recipient', `What is left of the TON goes to ${response}.`)
      if (forward > MOST_GAS) found.risk('high_fee', `${forward} nanoTON go on to ${recipient}.`)
      isJettonWallet(sent, chain, found)
      return forwarded(sent, body, found)
    }
    case 0x595f07bcn: {
      body.uint(64)
      const amount = body.coins()
      found.act('burn', `destroys ${amount} of a jetton`, {
        program: to,
        asset: jettonAt(to!, chain, found),
        amount: String(amount),
        from: found.owner,
      })
      found.risk('burn', 'It is gone then.')
      return isJettonWallet(sent, chain, found)
    }
    case 0x5fcc3d14n: {
      body.uint(64)
      const [recipient, response] = [canonicalOf(body.address()), canonicalOf(body.address())]
      found.act('transfer', `gives the NFT ${to} to ${recipient}`, {
        program: to,
        asset: to,
        amount: '1',
        from: found.owner,
        to: recipient,
      })
      found.pays(recipient, `The NFT ${to}`)
      if (response !== null && !found.isOwn(response))
        found.risk('foreign_recipient', `What is left of the TON goes to ${response}.`)
      if (sent.amount > MOST_GAS) found.risk('high_fee', `${sent.amount} nanoTON go along.`, 'warning')
      if (body.maybeReference() !== null) found.leave(where, 'the NFT gets a payload of its own')
      body.coins()
      return forwarded(sent, body, found)
    }
    case 0x4eb1f0f9n:
      found.act('authority', `changes a record of the name ${to}`, { program: to })
      found.risk('authority_change', `Where the name ${to} leads is changed.`)
      return pays(sent, found)
    default:
      pays(sent, found)
      found.leave(
        where,
        op === 0x2167da4bn
          ? 'its comment is encrypted'
          : `its operation 0x${op.toString(16)} is not known here`,
      )
  }
}

/** A payload that goes on with a jetton or an NFT: a comment, or something that the recipient reads. */
function forwarded({ where }: Sent, body: CellReader, found: Findings) {
  const payload = body.bit() ? new CellReader(body.reference()) : body
  if (payload.bitsLeft === 0) return
  if (payload.bitsLeft < 32 || payload.uint(32) !== 0n)
    return found.leave(where, 'what goes on to the recipient is not known here')
  const text = snake(payload).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·')
  found.act('memo', `says ${JSON.stringify(text.slice(0, 200))}`)
  found.risk('sender_text', "A comment is its writer's text: nothing of it happens.", 'info')
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

const W5_OPS: ReadonlySet<bigint> = new Set([0x7369676en, 0x73696e74n])
/** Of wallets of version 4, unless somebody chose another. */
const V4_SUBWALLET = 698_983_191n

function readBody(root: Cell, chain: ChainDefinition, found: Findings) {
  const body = new CellReader(root)
  const first = body.uint(32)
  if (W5_OPS.has(first)) {
    // Wallet, expiry and number.
    body.uint(96)
    const actions = body.maybeReference()
    if (actions !== null) readActions(actions, chain, found)
    if (body.bit()) readExtended(body, found)
    return
  }
  if (first !== V4_SUBWALLET)
    return found.leave('transaction', 'it is no body of a wallet of version 4 or 5', root.data)
  body.uint(64)
  const op = body.uint(8)
  if (op !== 0n) {
    const words = op === 3n ? 'removes a plugin' : 'installs a plugin'
    found.act(op === 3n ? 'revoke' : 'authority', words)
    if (op !== 3n) found.risk('account_control', 'A plugin may take the whole balance.')
    return
  }
  for (let i = 1; body.bitsLeft >= 8; i++)
    readMessage(`message ${i}`, Number(body.uint(8)), body.reference(), chain, found)
}

/** An action list: the last action first, and those before it in its first reference. */
function readActions(list: Cell, chain: ChainDefinition, found: Findings) {
  const actions: CellReader[] = []
  for (let cell: Cell = list; actions.length <= 255; ) {
    const reader = new CellReader(cell)
    if (reader.bitsLeft === 0) break
    cell = reader.reference()
    actions.unshift(reader)
  }
  for (const [i, reader] of actions.entries()) {
    const where = `action ${i + 1}`
    switch (reader.uint(32)) {
      case 0x0ec3c86dn:
        readMessage(where, Number(reader.uint(8)), reader.reference(), chain, found)
        break
      case 0xad4de08en:
        found.act('upgrade', "replaces the wallet's code")
        found.risk('upgrade', 'The wallet runs other code from then on.')
        break
      default:
        found.leave(where, 'the action is not known here')
    }
  }
}

function readExtended(body: CellReader, found: Findings) {
  for (let at: CellReader | null = body; at !== null; ) {
    const kind: bigint = at.uint(8)
    if (kind === 4n) {
      found.act('authority', 'sets whether a signature may act')
      found.risk('account_control', 'Without signatures only extensions act for the wallet.')
      at.bit()
    } else {
      const who = canonicalOf(at.address())
      found.act(
        kind === 3n ? 'revoke' : 'authority',
        `${kind === 3n ? 'removes' : 'adds'} the extension ${who}`,
        { to: who },
      )
      if (kind === 2n) found.hands('account_control', who, 'All power of the wallet')
      else if (kind !== 3n) found.leave('action', 'an extended action that is not known here')
    }
    at = at.referencesLeft > 0 ? new CellReader(at.reference()) : null
  }
}

/** MessageRelaxed: int_msg_info$0, without a state. */
function readMessage(where: string, mode: number, cell: Cell, chain: ChainDefinition, found: Findings) {
  const reader = new CellReader(cell)
  if (reader.bit()) return found.leave(where, 'it goes out of the chain')
  reader.uint(3)
  reader.address()
  const sent: Sent = { where, to: canonicalOf(reader.address()), amount: reader.coins(), mode }
  if (reader.bit()) return found.leave(where, 'it carries other currencies')
  reader.coins()
  reader.coins()
  reader.uint(96)
  judgeMode(sent, found)
  if (reader.bit()) {
    deploys(sent, found, null)
    if (!reader.bit()) return found.leave(where, 'its state stands in place')
    reader.reference()
  }
  if (reader.bit()) {
    const body = reader.reference()
    return guarded(where, body, found, () => explainBody(sent, body, chain, found))
  }
  guarded(where, cell, found, () =>
    reader.bitsLeft === 0 ? pays(sent, found) : readOperation(sent, reader, chain, found),
  )
}
