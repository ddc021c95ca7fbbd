/** Real answers of nodes: no honest one is taken for a limit, a refused key or a fault of the node. */

import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { RpcCall } from '../../src/upstream/nodes/json-rpc.ts'
import { aboutOf, type NodeError } from '../../src/upstream/nodes/node-errors.ts'

const FOLDER = new URL('../../../shared/vectors/live/', import.meta.url)

interface Sample {
  readonly id: string
  readonly observed: string
  readonly body: { readonly id?: number; readonly error?: NodeError }
}

for (const family of ['solana', 'evm'] as const) {
  const file = new URL(`${family}-nodes.jsonl`, FOLDER)
  const skip = existsSync(file) ? false : `../shared/vectors/live/${family}-nodes.jsonl is not there`
  t.test(`recorded answers of ${family} nodes are answers`, { skip }, async (t) => {
    const samples = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Sample)
    const answered = samples.filter(({ body }) => typeof body?.id === 'number')
    t.ok(answered.length > 20)
    for (const { id, observed, body } of answered) {
      const call = new RpcCall(family, { id: body.id!, method: 'm', paramsJson: '[]' })
      const reply = call.read(200, Buffer.from(JSON.stringify(body)))
      t.type(reply, 'object', id)
      if (body.error === undefined) continue
      const isQuestion = family === 'solana' || observed === 'revert'
      t.equal(aboutOf(family, body.error), isQuestion ? 'question' : 'node', id)
    }
  })
}
