import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { encodeFunctionData, parseAbi } from 'viem'
import { DescriptorFolder } from '../../../src/explain/evm/descriptor-folder.ts'
import { Descriptors } from '../../../src/explain/evm/descriptors.ts'
import { explain } from '../../../src/explain/explain.ts'

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
  "the operator's folder, with folders in it, is read again; one that is bad changes nothing, and the log says so",
  async (t) => {
    const folder = t.testdir()
    mkdirSync(join(folder, 'own'))
    writeFileSync(join(folder, 'own/stake.json'), JSON.stringify(described('Stake')))
    const lines: object[] = []
    const log = { error: (fields: object) => void lines.push(fields) } as never
    const own = new DescriptorFolder(folder, log)
    const intent = async (one = own) => {
      const { actions } = await explain(request, { describe: await one.current() })
      return actions[0]!.fields?.intent
    }
    await own.reload()
    t.equal(await intent(), 'Stake')
    writeFileSync(join(folder, 'own/stake.json'), JSON.stringify(described('Stake more')))
    t.equal(await intent(), 'Stake', 'until it is read again')
    await own.reload()
    t.equal(await intent(), 'Stake more')
    t.same(lines, [])
    writeFileSync(join(folder, 'bad.json'), '{')
    await own.reload()
    t.equal(await intent(), 'Stake more')
    t.equal(lines.length, 1)
    t.equal(await intent(new DescriptorFolder(folder, log)), undefined, 'the library has none')
    t.equal(lines.length, 2)
    t.equal(await intent(new DescriptorFolder(null, log)), undefined)
    t.equal(lines.length, 2)
  },
)
