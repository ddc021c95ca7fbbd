/** Each form of a request with each member that wallets know: read, or named, and alike in all four places. */
import t from 'tap'
import { createClient } from '../../src/clients/client/index.ts'
import { readPasted } from '../../src/clients/console/views/explain/read.ts'
import { toolsOf } from '../../src/clients/mcp/tools.ts'
import { explain } from '../../src/clients/verify/index.ts'
import type { ExplainRequest, Explanation } from '../../src/explain/types.ts'
import { FORMS, type Form } from '../fixtures/explain-forms.ts'
import { listen } from '../fixtures/gateway.ts'

/** An explanation, or the words of a refusal. */
type Answer = Explanation | string
type Place = (request: ExplainRequest) => Promise<Answer>

const orWords = (answer: Promise<Answer>): Promise<Answer> => answer.catch((error: Error) => error.message)
const inModule: Place = (request) => orWords(explain(request))

/** As the page takes what was pasted: JSON without the chain, the owner and whom the wallet knows. */
const inConsole: Place = ({ chain, owner, recent, ...asked }) => {
  const { transaction, ...others } = asked
  const isPlain = Object.keys(others).length === 0
  const text = isPlain ? transaction! : JSON.stringify(Object.values(others)[0])
  const pasted = readPasted(
    transaction === undefined || isPlain ? text : JSON.stringify({ bytes: transaction, ...others }),
  )
  if (pasted === null) return Promise.resolve('nothing that is known')
  return inModule({ ...pasted.asked, chain, ...(owner && { owner }), ...(recent && { recent }) })
}

const overHttp =
  (url: string): Place =>
  async (request) => {
    const response = await fetch(`${url}/api/explain`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    return response.ok ? ((await response.json()) as Explanation) : response.text()
  }

const byAgent = (url: string): Place => {
  const tool = toolsOf(createClient({ baseUrl: url })).find(({ name }) => name === 'explain')!
  return (request) => {
    const texts = Object.entries(request).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    return orWords(Promise.resolve(Object.fromEntries(texts)).then(tool.call) as Promise<Answer>)
  }
}

/** Without what a node adds: the module has none. */
function told(answer: Answer): unknown {
  if (typeof answer === 'string') return 'refused'
  const risks = answer.risks.filter(({ code }) => code !== 'simulation_failed')
  const unknown = answer.unknown.filter(({ where }) => where !== 'simulation')
  return { actions: answer.actions.map(({ words }) => words), unknown, risks }
}

const isKnown = (answer: Answer) => {
  const { risks, unknown } = told(answer) as Explanation
  return (
    typeof answer !== 'string' && unknown.length === 0 && risks.every(({ severity }) => severity === 'info')
  )
}

function withMember({ request, place }: Form, name: string, value: unknown): ExplainRequest {
  const copy = structuredClone(request)
  let at = copy as unknown as Record<string, unknown>
  for (const step of place) at = at[step] as Record<string, unknown>
  at[name] = value
  return copy
}

t.test('a member is read, or the answer names it, in all four places', async (t) => {
  const { url } = await listen(t, { LIMITS: 'explain=off' })
  const places: Readonly<Record<string, Place>> = {
    console: inConsole,
    route: overHttp(url),
    agent: byAgent(url),
  }
  for (const form of FORMS) {
    const before = await inModule(form.request)
    t.not(typeof before, 'string', form.title)
    for (const [name, value, outcome] of form.members) {
      const title = `${form.title}: ${name} ${JSON.stringify(value)}`
      const request = withMember(form, name, value)
      const answer = await inModule(request)
      if (outcome === 'read') t.same(told(answer), told(before), title)
      else {
        const text = typeof answer === 'string' ? answer : JSON.stringify([answer.unknown, answer.risks])
        t.notOk(typeof answer !== 'string' && isKnown(answer), title)
        t.ok(text.includes(name) || NAMES[name]?.test(text), `${title}: ${text}`)
      }
      for (const [where, ask] of Object.entries(places))
        t.same(told(await ask(request)), told(answer), `${title}, ${where}`)
    }
  }
})

/** What a member is called in the words of an answer, where that is not its name. */
const NAMES: Readonly<Record<string, RegExp>> = {
  chainId: /chain 1\./,
  network: /network -3/,
  from: /sends this/,
  valid_until: /until when it is valid/,
  mode: /send mode/,
  verifyingContract: /names no contract/,
  stateInit: /new contract/,
  data: /`data`/,
  authorizationList: /on chain 8453/,
}
