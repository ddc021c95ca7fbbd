/**
 * A compromised cross-chain provider. In some thefts its description stays honest
 * and the transaction itself is changed: the calldata of its contract, the
 * instructions of a Solana transaction, the bytes of a Sui one. In others it is the
 * description: the decimals that its figures are shown by, and how they are written.
 */
import { encodeBase58 } from '../../chains/solana/base58.ts'
import type { Composed } from '../solana/compose.ts'
import { type Args, DIAMOND, SWIFT } from '../swap/xprov-calldata.ts'
import { DEBRIDGE, SWIFT as MAYAN_SWIFT } from '../swap/xprov-solana.ts'
import { COSTLY, extras, type OpenedTransaction, open, close as put } from './solana.ts'
import { suiThefts } from './sui.ts'
import { ALL, type Fields, fieldsOf, spellingsOf, THIEF, type Theft, type Thief, theftsOf } from './thief.ts'

const OTHER = '0x4200000000000000000000000000000000000007'
const ZERO = `0x${'0'.repeat(40)}`
const COIN = 10n ** 18n

type CalldataChange = readonly [what: string, change: (args: Args) => void]

export const thief: Thief = (body) => {
  const request = fieldsOf(body.transactionRequest)
  const write = (changed: Fields) => ({ ...body, transactionRequest: { ...request, ...changed } })
  const { data } = request
  if (typeof data !== 'string') return []
  return [...materialThefts(body, request, data, write), ...scalings(body, data), ...spellings(body)]
}

function materialThefts(
  body: Fields,
  request: Fields,
  data: string,
  write: (changed: Fields) => Fields,
): readonly Theft[] {
  if (data.startsWith('0x')) return evm(body, request, data, write)
  const whole = open(data)
  if (whole === null) return suiThefts(data, (changed) => write({ data: changed }))
  const bridge = whole.instructions.find(({ program }) => BRIDGED[program] !== undefined)
  const fields = (bridge === undefined ? [] : BRIDGED[bridge.program]!).map(([what, offset, length]) => {
    const change = (changed: OpenedTransaction): OpenedTransaction => ({
      ...changed,
      instructions: changed.instructions.map((one) =>
        one === bridge ? overwritten(one, offset, length) : one,
      ),
    })
    return [what, change] as const
  })
  return theftsOf(whole, (changed) => write({ data: put(changed) }), [
    ...fields,
    // Any token account will do: no bridge needs these instructions.
    ...extras(whole.wallet, encodeBase58(new Uint8Array(32).fill(0x68))),
    COSTLY,
  ])
}

/** How many decimals a scaling takes away. */
const SCALED = [1, 6] as const

/**
 * Amounts divided by a power of ten beside decimals lowered by its exponent read the same to a wallet that
 * takes both from the provider.
 */
function scalings(body: Fields, data: string): readonly Theft[] {
  const { action, estimate } = { action: fieldsOf(body.action), estimate: fieldsOf(body.estimate) }
  const lowered = (side: 'fromToken' | 'toToken', by: number) => {
    const token = fieldsOf(action[side])
    return { ...action, [side]: { ...token, decimals: Number(token.decimals) - by } }
  }
  const divided = (by: number): Fields => {
    const part = (amount: unknown) => String(BigInt(String(amount)) / 10n ** BigInt(by) || 1n)
    const { toAmount, toAmountMin } = estimate
    return { ...estimate, toAmount: part(toAmount), toAmountMin: part(toAmountMin) }
  }
  const request = fieldsOf(body.transactionRequest)
  return SCALED.filter((by) => Number(fieldsOf(action.toToken).decimals) >= by).flatMap((by) => [
    {
      what: `divides what is bought by 10^${by}, and counts ${by} decimals less`,
      rob: () => ({
        ...body,
        action: lowered('toToken', by),
        estimate: divided(by),
        transactionRequest: { ...request, data: scaledCall(data, by) },
      }),
    },
    {
      what: `counts ${by} decimals less of what is bought`,
      rob: () => ({ ...body, action: lowered('toToken', by) }),
    },
    {
      what: `counts ${by} decimals less of what is sold`,
      rob: () => ({ ...body, action: lowered('fromToken', by) }),
    },
  ])
}

/** The call with a minimum of a power of ten less; other material keeps its own, which is above what is stated then. */
function scaledCall(data: string, by: number): string {
  const call = data.startsWith('0x') ? DIAMOND.read(data) : null
  if (call === null) return data
  const { name, args } = call
  const part = (amount: bigint) => amount / 10n ** BigInt(by) || 1n
  if (args.minAmountOut !== undefined) args.minAmountOut = part(args.minAmountOut)
  if (args.acrossData) args.acrossData.outputAmount = part(args.acrossData.outputAmount)
  if (args.deBridgeData) args.deBridgeData.minAmountOut = part(args.deBridgeData.minAmountOut)
  if (args.mayanData) ordered(({ params }) => void (params.minAmountOut = part(params.minAmountOut)))(args)
  return DIAMOND.write(name, args)
}

/** The same values otherwise written, and untrue words beside them. */
function spellings(body: Fields): readonly Theft[] {
  const action = fieldsOf(body.action)
  const estimate = fieldsOf(body.estimate)
  const request = fieldsOf(body.transactionRequest)
  const { toAmount, toAmountMin } = estimate
  const onHex = (change: (hex: string) => string): Fields =>
    Object.fromEntries(
      Object.entries(request).map(([name, value]) => [
        name,
        typeof value === 'string' && value.startsWith('0x') ? change(value) : value,
      ]),
    )
  const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`
  const swapped = (hex: string) =>
    hex.replace(/[A-Fa-f]/, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()))
  const named = (symbol: string) => ({
    ...action,
    fromToken: { ...fieldsOf(action.fromToken), symbol },
    toToken: { ...fieldsOf(action.toToken), symbol },
  })
  const spend = { ...estimate, approvalAddress: THIEF, skipApproval: true, approvalReset: true }
  const twice = `"toAmountMin":"${toAmount}9","toAmount":"${toAmount}9",`
  const written: readonly (readonly [what: string, rob: () => Fields])[] = [
    ['writes hex as 0X', () => ({ ...body, transactionRequest: onHex((hex) => `0X${hex.slice(2)}`) })],
    ['writes hex in upper case', () => ({ ...body, transactionRequest: onHex(upper) })],
    [
      'writes addresses in upper case',
      () => ({ ...body, transactionRequest: onHex((hex) => (hex.length === 42 ? upper(hex) : hex)) }),
    ],
    [
      'writes wrong checksums',
      () => ({ ...body, transactionRequest: onHex((hex) => (hex.length === 42 ? swapped(hex) : hex)) }),
    ],
    [
      'writes quantities with leading zeros',
      () => ({
        ...body,
        transactionRequest: onHex((hex) => (hex.length < 42 ? `0x00${hex.slice(2)}` : hex)),
      }),
    ],
    [
      'writes amounts with leading zeros',
      () => ({
        ...body,
        estimate: { ...estimate, toAmount: `000${toAmount}`, toAmountMin: `000${toAmountMin}` },
      }),
    ],
    [
      'says its amounts in another case, too',
      () => ({ ...body, estimate: { TOAMOUNT: '1', toamountmin: `${toAmount}9`, ...estimate } }),
    ],
    ['calls the tokens by another name', () => ({ ...body, action: named('<b>DAI</b>') })],
    ['names itself in markup', () => ({ ...body, tool: '<b>safe</b>', id: '"}', transactionId: '<i>' })],
    ['names a spender where nothing is to be approved', () => ({ ...body, estimate: spend })],
    [
      'names fees in no unit',
      () => ({
        ...body,
        estimate: {
          ...estimate,
          gasCosts: [{ type: '<b>', token: { address: THIEF, chainId: 7 }, amount: '007' }, 'free', null],
          fromAmountUSD: '000050.00 USD',
        },
      }),
    ],
  ]
  const doubled: readonly (readonly [what: string, name: string, by: string])[] = [
    ['says its amounts twice', '"estimate":{', `"estimate":{${twice}`],
    ['says its decimals twice', '"decimals":', '"decimals":0,"decimals":'],
  ]
  return [
    ...spellingsOf((changed) => changed, written),
    ...doubled.map(([what, name, by]) => {
      const write = (one: Fields) => JSON.stringify(one).replaceAll(name, by)
      return { what, rob: () => body, write, isSpelling: true } as const
    }),
  ]
}

/** By program, the fields of the bridge's instruction at their byte offsets. */
const BRIDGED: Readonly<
  Record<string, readonly (readonly [what: string, offset: number, length: number])[]>
> = {
  [MAYAN_SWIFT]: [
    ['pays a stranger on the other side', 25 + 12, 20],
    ['goes to another chain', 57, 2],
    ['gives something worthless', 59 + 12, 20],
    ['keeps it as a fee of cancelling', 107, 8],
    ['pays a referrer', 163, 1],
  ],
  [DEBRIDGE]: [
    ['takes more', 8, 8],
    ['goes to another chain', 16, 32],
    ['gives something worthless', 52, 20],
    ['pays a stranger on the other side', 108, 20],
    ['lets a stranger cancel', 166, 20],
  ],
}

/** Overwrites a range with a stranger's bytes. */
function overwritten(one: Composed, offset: number, length: number): Composed {
  const data = Uint8Array.from(one.data)
  data.fill(0x66, offset, offset + length)
  return { ...one, data }
}

function evm(body: Fields, request: Fields, data: string, write: (changed: Fields) => Fields): Theft[] {
  const call = DIAMOND.read(data)
  if (call === null) return []
  const rewritten = (change: (args: Args) => void): Fields => {
    // The arguments are the reader's own, but for the text that it was given.
    const { name, args } = DIAMOND.read(data)!
    change(args)
    return write({ data: DIAMOND.write(name, args) })
  }
  const changes = call.name.startsWith('swap') ? SWAP : [...BRIDGE, ...FACETS[call.name]!]
  const estimate = fieldsOf(body.estimate)
  return [
    ...changes.map(([what, change]) => ({ what, rob: () => rewritten(change) })),
    ...theftsOf({}, write, [
      ['names another contract', () => ({ to: THIEF })],
      [
        'asks for more native coins',
        () => ({ value: `0x${(BigInt(String(request.value)) + COIN).toString(16)}` }),
      ],
      ['burns native coins as gas', () => ({ gasPrice: `0x${COIN.toString(16)}` })],
      ['calls approve', () => ({ data: `0x095ea7b3${THIEF.slice(2).padStart(64, '0')}${'f'.repeat(64)}` })],
      ['hides bytes behind the call', () => ({ data: `${data}${'00'.repeat(32)}` })],
    ]),
    ...(fieldsOf(fieldsOf(body.action).fromToken).address === ZERO
      ? []
      : [
          {
            what: 'wants an approval for a stranger',
            rob: () => ({ ...body, estimate: { ...estimate, approvalAddress: THIEF } }),
          },
        ]),
  ]
}

const word = (): Uint8Array => new Uint8Array(32).fill(0x66)

const SWAP: readonly CalldataChange[] = [
  ['lets a stranger receive', (args) => void (args.receiver = THIEF)],
  ['promises nothing', (args) => void (args.minAmountOut = 0n)],
  ['takes all of the token', ({ swapData: [fee] }) => void (fee.fromAmount = ALL)],
  ['sells another token', ({ swapData: [fee] }) => void (fee.sendingAssetId = OTHER)],
  ['buys another token', ({ swapData: [, swap] }) => void (swap.receivingAssetId = OTHER)],
  ['calls the token that is sold', ({ swapData: [, swap] }) => void (swap.callTo = swap.sendingAssetId)],
  ['collects the fee itself', ({ swapData: [fee] }) => void (fee.callTo = fee.approveTo = THIEF)],
]

const BRIDGE: readonly CalldataChange[] = [
  ['lets a stranger receive', ({ bridgeData }) => void (bridgeData.receiver = THIEF)],
  ['takes all of the token', ({ bridgeData }) => void (bridgeData.minAmount = ALL)],
  ['sends another token', ({ bridgeData }) => void (bridgeData.sendingAssetId = OTHER)],
  ['goes to another chain', ({ bridgeData }) => void (bridgeData.destinationChainId = 250n)],
  ['calls a contract on the other side', ({ bridgeData }) => void (bridgeData.hasDestinationCall = true)],
]

/** Changes the order inside a call. */
const ordered =
  (change: (order: Args) => void) =>
  ({ mayanData }: Args): void => {
    const { name, args } = SWIFT.read(`0x${Buffer.from(mayanData.protocolData).toString('hex')}`)!
    change(args)
    mayanData.protocolData = Buffer.from(SWIFT.write(name, args).slice(2), 'hex')
  }

const FACETS: Readonly<Record<string, readonly CalldataChange[]>> = {
  startBridgeTokensViaAcrossV4: [
    ['pays a stranger on the other side', ({ acrossData }) => void (acrossData.receiverAddress = word())],
    ['gives something worthless', ({ acrossData }) => void (acrossData.receivingAssetId = word())],
    ['promises next to nothing', ({ acrossData }) => void (acrossData.outputAmount = 1n)],
    ['refunds a stranger', ({ acrossData }) => void (acrossData.refundAddress = word())],
    ['sends a message along', ({ acrossData }) => void (acrossData.message = word())],
  ],
  startBridgeTokensViaDeBridgeDln: [
    [
      'pays a stranger on the other side',
      ({ deBridgeData }) => void (deBridgeData.receiver = stranger(deBridgeData)),
    ],
    [
      'gives something worthless',
      ({ deBridgeData }) => void (deBridgeData.receivingAssetId = stranger(deBridgeData)),
    ],
    ['promises next to nothing', ({ deBridgeData }) => void (deBridgeData.minAmountOut = 1n)],
    [
      'lets a stranger cancel',
      ({ deBridgeData }) => void (deBridgeData.orderAuthorityDst = stranger(deBridgeData)),
    ],
  ],
  startBridgeTokensViaMayan: [
    ['pays a stranger on the other side', ({ mayanData }) => void (mayanData.nonEVMReceiver = word())],
    ['hands the input to another contract', ({ mayanData }) => void (mayanData.mayanProtocol = THIEF)],
    ['refunds a stranger', ({ mayanData }) => void (mayanData.refundRecipient = THIEF)],
    ['orders for a stranger', ordered(({ params }) => void (params.destAddr = word()))],
    ['orders something worthless', ordered(({ params }) => void (params.tokenOut = word()))],
    ['orders next to nothing', ordered(({ params }) => void (params.minAmountOut = 1n))],
    ['pays a referrer', ordered(({ params }) => void (params.referrerBps = 200n))],
    ['keeps it as a fee of cancelling', ordered(({ params }) => void (params.cancelFee = 2n ** 63n))],
    ['drops it as gas', ordered(({ params }) => void (params.gasDrop = 2n ** 63n))],
  ],
}

/** A stranger's address, as long as an address of the destination chain. */
const stranger = ({ receiver }: Args): Uint8Array => new Uint8Array(receiver.length).fill(0x66)
