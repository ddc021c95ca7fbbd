import t from 'tap'
import fc from '../../fixtures/fast-check.ts'
import { tryAll } from '../../fixtures/hostile/mutation.ts'
import { encodeMaterial, FAMILIES, requireProved, UNCOUNTED } from '../../fixtures/hostile/solana-bridges.ts'

for (const { name, ask, honest, prove, carried, mint, mutations } of FAMILIES) {
  t.test(`${name}: every change of the table is refused, or harmless`, async (t) => {
    const { thefts, letOut, tried, refused } = await tryAll(name, honest, mutations(ask, mint), (material) =>
      requireProved(prove(material)),
    )
    t.same(thefts, [])
    t.equal(refused + letOut.length, tried)
    t.equal(letOut.length, mutations(ask, mint).filter(({ harmless }) => harmless !== undefined).length)
  })

  t.test(`${name}: whatever byte is changed, recipient and minimum stand`, async (t) => {
    const honestBytes = Buffer.from(encodeMaterial(honest), 'base64')
    const program = honest.instructions.length - 1
    const { data } = honest.instructions[program]!
    fc.assert(
      fc.property(fc.nat(data.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(data)
        changed[at]! ^= mask
        const instructions = honest.instructions.map((one, i) =>
          i === program ? { ...one, data: changed } : one,
        )
        try {
          const proof = prove({ ...honest, instructions })
          return (proof.stated?.length ?? 0) === 0 && BigInt(String(proof.minimum)) >= carried
        } catch {
          return true
        }
      }),
      { numRuns: 500 },
    )
    t.ok(honestBytes.length <= 1_232)
  })
}

t.test('without the decimals of what it buys, not even honest material is let out', async (t) => {
  const proof = UNCOUNTED.prove(UNCOUNTED.honest)
  t.same(proof.stated, ['minimum'])
  t.notOk(proof.checks.includes('minimum'))
  t.throws(() => requireProved(proof), { code: 'material_unproved', fields: { rule: 'minimum' } })
})
