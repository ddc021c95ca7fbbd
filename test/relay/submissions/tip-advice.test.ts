import t from 'tap'
import { MOST_TIP, TipAdvice } from '../../../src/relay/submissions/tip-advice.ts'
import { composeMessage, unsigned } from '../../../src/sandbox/solana/ledger/compose.ts'
import { LANDING_SERVICES, type LandingService } from '../../../src/upstream/nodes/solana/landing-services.ts'
import { handClock } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'

const [JITO, SWQOS] = LANDING_SERVICES as [LandingService, LandingService]
const SYSTEM = '11111111111111111111111111111111'
const PAYER = 'GThUX1Atko4tqhN2NaiTazWSeFWMuiUvfFnyJyUghFMJ'

/** A transaction that pays these tips. */
function paying(...tips: readonly (readonly [to: string, lamports: bigint])[]): string {
  const instructions = tips.map(([to, lamports]) => {
    const data = Buffer.alloc(12)
    data.writeUInt32LE(2)
    data.writeBigUInt64LE(lamports, 4)
    const accounts = [PAYER, to].map((address) => ({
      address,
      isSigner: address === PAYER,
      isWritable: true,
    }))
    return { program: SYSTEM, accounts, data }
  })
  return unsigned(composeMessage(PAYER, instructions, SYSTEM)).toString('base64')
}

const UNTIPPED = paying()
const jito = (lamports: bigint) => paying([JITO.tipAccounts[3]!, lamports])

t.test('without services whose tips are known there is no advice', (t) => {
  for (const rows of [[], [null], [{ ...JITO, tipAccounts: [] }]]) {
    const advice = new TipAdvice(rows, handClock())
    advice.note('a', UNTIPPED, false)
    t.equal(advice.advise('a'), null)
  }
  t.end()
})

t.test('rungs go from none to the most, by lamports, of accounts that can be paid', (t) => {
  const advice = new TipAdvice([null, ...LANDING_SERVICES], handClock())
  const seen: string[] = []
  let carried = UNTIPPED
  for (;;) {
    advice.note('a', carried, false)
    const { service, lamports } = advice.advise('a')!
    const rung = `${service!.name} ${lamports}`
    if (rung === seen.at(-1)) break
    seen.push(rung)
    const [to] = service!.tipAccounts
    carried = paying([to!, lamports])
    t.ok(lamports >= service!.leastTip && lamports <= MOST_TIP)
  }
  const amounts = seen.map((rung) => Number(rung.split(' ').at(-1)))
  t.same(
    amounts,
    [...amounts].sort((a, b) => a - b),
  )
  t.same(seen.slice(0, 3), ['Jito 1000', 'Jito 4000', 'Helius Sender, swqos_only 5000'])
  t.match(seen.at(-1), /^(Nozomi|Jupiter) 1000000$/)
  t.end()
})

t.test('one late goes a rung up, eight in time one down', (t) => {
  const advice = new TipAdvice([JITO], handClock())
  const told = () => advice.advise('a')!.lamports
  advice.note('a', UNTIPPED, true)
  t.equal(told(), 0n)
  advice.note('a', UNTIPPED, false)
  t.equal(told(), 1_000n)
  advice.note('a', UNTIPPED, false)
  t.equal(told(), 1_000n, 'that one was signed before')
  advice.note('a', jito(1_000n), false)
  t.equal(told(), 4_000n)
  for (let nth = 0; nth < 20; nth++) advice.note('a', jito(16_000n), true)
  t.equal(told(), 4_000n, 'more in time says nothing about less')
  for (let nth = 0; nth < 7; nth++) advice.note('a', jito(4_000n), true)
  t.equal(told(), 4_000n)
  advice.note('a', jito(4_000n), true)
  t.equal(told(), 1_000n)
  for (let nth = 0; nth < 20; nth++) advice.note('a', UNTIPPED, true)
  t.equal(told(), 0n)
  t.end()
})

t.test(
  'a tip below its step, to an unknown account or of another service counts as what it pays for',
  (t) => {
    const cases: readonly (readonly [carried: string, next: bigint])[] = [
      [jito(999n), 1_000n],
      [jito(1_000n), 4_000n],
      [jito(15_999n), 5_000n],
      [paying([SWQOS.tipAccounts[0]!, 5_000n]), 16_000n],
      [paying([PAYER, 900_000n]), 1_000n],
      ['AA==', 1_000n],
      ['', 1_000n],
    ]
    for (const [carried, next] of cases) {
      const advice = new TipAdvice([JITO, SWQOS], handClock())
      advice.note('a', carried, false)
      t.equal(advice.advise('a')!.lamports, next)
    }
    t.end()
  },
)

t.test('other clients get the median of three clients or more, however much one submits', (t) => {
  const clock = handClock()
  const advice = new TipAdvice([JITO], clock)
  t.match(advice.advise('new'), { basis: 'none', lamports: 1_000n })
  for (let nth = 0; nth < 1_000; nth++) advice.note('hostile', jito(MOST_TIP), false)
  t.match(advice.advise('new'), { basis: 'none', lamports: 1_000n }, 'one alone sets nothing')
  advice.note('b', UNTIPPED, true)
  advice.note('c', UNTIPPED, true)
  t.match(advice.advise('new'), { basis: 'others', lamports: 0n })
  t.match(advice.advise('b'), { basis: 'own', lamports: 0n })
  clock.advance(60_001)
  t.match(advice.advise('new'), { basis: 'none' }, 'what was a minute ago is no longer so')
  t.match(advice.advise('b'), { basis: 'none' })
  t.end()
})

t.test('however many clients there are, a thousand are kept', (t) => {
  const advice = new TipAdvice([JITO], handClock())
  for (let nth = 0; nth < 1_001; nth++) advice.note(`c${nth}`, UNTIPPED, true)
  t.equal(advice.advise('c0')!.basis, 'others')
  t.equal(advice.advise('c1')!.basis, 'own')
  t.end()
})

t.test('whatever comes, an advice is a rung', (t) => {
  const noted = fc.record({
    lamports: fc.bigInt({ min: 1n, max: 2n * MOST_TIP }),
    isInTime: fc.boolean(),
    client: fc.constantFrom('a', 'b'),
  })
  fc.assert(
    fc.property(fc.array(noted, { maxLength: 60 }), (all) => {
      const advice = new TipAdvice([JITO, SWQOS], handClock())
      for (const { client, lamports, isInTime } of all) advice.note(client, jito(lamports), isInTime)
      const { service, lamports } = advice.advise('a')!
      if (service === null) return lamports === 0n
      return lamports >= service.leastTip && lamports <= MOST_TIP
    }),
    { numRuns: 100 },
  )
  t.end()
})
