import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { encodeFunctionData, parseAbi } from 'viem'
import { openDescriptors } from '../../../src/proof/explain/descriptor-folder.ts'
import { Descriptors } from '../../../src/proof/explain/descriptors.ts'
import { explain } from '../../../src/proof/explain/explain.ts'

const CONTRACT = '0xde709f2102306220921060314715629080e2fb77'
const SIGNATURE = 'stakeFor(address who, uint256 count)'
const data = encodeFunctionData({ abi: parseAbi([`function ${SIGNATURE}`]), args: [CONTRACT, 7n] })
const request = { chain: 'base', call: { to: CONTRACT, data } }
const described = (intent: string) => ({
  $schema: '../specs/erc7730-v2.schema.json',
  context: { contract: { deployments: [{ chainId: 8453, address: CONTRACT }] } },
  display: {
    formats: { [SIGNATURE]: { intent, fields: [{ path: 'count', label: 'Count', format: 'raw' }] } },
  },
})

t.test('a descriptor words a call, which stays unknown', async (t) => {
  const describe = new Descriptors({ 'own/stake.json': described('Stake\u202e\nfor another') })
  t.match(await explain(request, { describe }), {
    verdict: 'unknown',
    actions: [{ kind: 'call', fields: { intent: 'Stake··for another', Count: '7' } }],
    unknown: [{ where: 'call', bytes: data }],
  })
  const elsewhere = { ...request, chain: 'ethereum' }
  t.match(await explain(elsewhere, { describe }), { actions: [{ fields: null }] })
  const short = { ...request, call: { to: CONTRACT, data: data.slice(0, -2) } }
  t.match(await explain(short, { describe }), { verdict: 'unknown', actions: [{ fields: null }] })
})

t.test(
  "the operator's folder, with folders in it; one that is bad is left out, and the log says so",
  async (t) => {
    const folder = t.testdir()
    mkdirSync(join(folder, 'own'))
    writeFileSync(join(folder, 'own/stake.json'), JSON.stringify(described('Stake')))
    const lines: object[] = []
    const log = { error: (fields: object) => void lines.push(fields) } as never
    t.match(await explain(request, { describe: openDescriptors(folder, log) }), {
      actions: [{ fields: { intent: 'Stake' } }],
    })
    t.same(lines, [])
    writeFileSync(join(folder, 'bad.json'), '{')
    t.match(await explain(request, { describe: openDescriptors(folder, log) }), {
      actions: [{ fields: null }],
    })
    t.equal(lines.length, 1)
  },
)
