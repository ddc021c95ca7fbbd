import t from 'tap'
import { interpretationsOf } from '../../../src/research/discover/interpretations.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const SIGNATURE = '5'.repeat(87)
const TON = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const RAW_TON = '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe'
const HASH = 'ab'.repeat(32)
const SUI = `0x${'2'.padStart(64, '0')}`

t.test('a form says what a text can be, in canonical spelling', async (t) => {
  const cases: [text: string, ...readings: string[]][] = [
    [USDC, `evm address ${USDC}`],
    [USDC.toLowerCase(), `evm address ${USDC}`],
    [MINT, `solana address ${MINT}`, `sui transaction ${MINT}`],
    [SIGNATURE, `solana transaction ${SIGNATURE}`],
    [TON, `ton address ${TON}`],
    [RAW_TON, `ton address ${TON}`],
    [`0x${HASH}`, `sui address 0x${HASH}`, `evm transaction 0x${HASH}`],
    [HASH, `ton transaction ${HASH}`],
    ['0x2::sui::SUI', `sui coin_type ${SUI}::sui::SUI`],
    [Buffer.from(HASH, 'hex').toString('base64'), `ton transaction ${'q6ur'.repeat(10)}q6s=`],
  ]
  for (const [text, ...expected] of cases) {
    t.same(
      interpretationsOf(text).map(({ family, form, text }) => `${family} ${form} ${text}`),
      expected,
      text,
    )
  }
})

t.test('text that can mean nothing is refused, and a broken checksum is reported', async (t) => {
  const messageOf = (text: string): string => {
    try {
      interpretationsOf(text)
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'invalid_parameter') {
        t.equal(error.fields.field, 'address')
        return error.message
      }
      throw error
    }
    return 'accepted'
  }
  for (const text of [
    'native',
    'USDC',
    '0x',
    `${USDC}0`,
    USDC.slice(2),
    'O0Il',
    `0x${HASH}0`,
    '0x2::sui',
    'a b',
    TON.slice(0, -1),
    `-2:${HASH}`,
  ]) {
    t.match(messageOf(text), /must be an address, a coin type or a transaction/, text)
  }
  t.match(messageOf(USDC.replace('fCD', 'fcD')), /fails its EIP-55 checksum/)
})
