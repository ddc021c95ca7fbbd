import t from 'tap'
import { MAJORS } from '../../src/chains/majors.ts'
import { defillama } from '../../src/providers/market/defillama.ts'
import { defillama as sandboxDefillama } from '../../src/sandbox/market/defillama.ts'
import { clockOf } from '../fixtures/clock.ts'
import { loadOpenApi } from '../fixtures/openapi.ts'
import { NOW, OPTIONS, on, startProvider } from '../fixtures/provider.ts'

/** The one coin that the document describes by name: the others go by its schema. */
const DESCRIBED = 'ethereum:0xdF574c24545E5FfEcb9a659c229253D4111d87e1'

t.test("DefiLlama's own document allows what we send, and what our sandbox answers", async (t) => {
  const document = loadOpenApi(t, 'defillama-free.json')
  if (document === null) return
  const { upstream, requests, url } = await startProvider(t, sandboxDefillama)
  const { prices } = defillama({ upstream, clock: clockOf({ date: () => NOW }) })
  for (const chain of ['ethereum', 'avalanche', 'solana', 'sui', 'ton']) {
    const majors = MAJORS.get(chain)!.map(({ address }) => address)
    t.not((await prices!.ask(on(chain, majors), OPTIONS)).length, 0, chain)
  }
  for (const { method, path, query } of [...requests]) {
    t.strictSame(document.request(method, path, { query }), [], `${method} ${path}`)
    const answer = (await (await fetch(`${url}${path}`)).json()) as { coins: Record<string, unknown> }
    for (const [name, coin] of Object.entries(answer.coins)) {
      t.strictSame(document.response(method, path, 200, { coins: { [DESCRIBED]: coin } }), [], name)
    }
  }
})
