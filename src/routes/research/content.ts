import { Representation } from '../../http/reply/representation.ts'
import { type Example, get, type Route } from '../../http/route.ts'
import { answerOf, type ContentInput, isWhole, resultOf } from '../../research/content/answers.ts'
import type { Content } from '../../research/content/content.ts'
import { ALL, type ContentPath, INVENTORY, inputOf } from '../../research/content/inventory.ts'
import type { Cursors } from '../../runtime/cursor.ts'
import recorded from '../examples/content.json' with { type: 'json' }
import { COMMUNITY } from '../groups.ts'

/** The community's paths (§4.10), a route for each row of the inventory. */
export const community = (content: Content, cursors: Cursors): readonly Route[] =>
  INVENTORY.map((entry) => contentRoute(entry, content, cursors))

function contentRoute(entry: ContentPath, content: Content, cursors: Cursors): Route {
  const { id, path, parameters, answer, summary } = entry
  const isItem = answer.kind === 'operation' || answer.kind === 'first'
  const prepared = preparedReply(content)
  return get({
    path,
    input: inputOf(entry),
    description: {
      id,
      summary,
      group: COMMUNITY,
      text: textOf(answer),
      stability: 'unverified',
      result: resultOf(entry),
      examples: { published: contentExample(entry) },
      errorExamples: recorded.errors,
      errors: [...(parameters.length > 0 ? [400] : []), ...(isItem ? [404] : [])],
    },
    handle(input: ContentInput) {
      const make = () => Buffer.from(answerOf(entry, input, content, cursors))
      return isWhole(entry, input) ? prepared(make) : make()
    },
  })
}

function textOf(answer: ContentPath['answer']): string {
  if (answer.kind === 'fixed')
    return 'The same for every client: none is authenticated, and nothing is written.'
  const published = `\`${answer.of}\` as the operator published them`
  if (answer.kind === 'list') return `The ${published}; none where the operator published none.`
  if (answer.kind === 'first') return `The first of ${published}; 404 where there is none.`
  return `With \`${ALL}\` all ${published}, with an id that one; 404 where there is none.`
}

/** A reply that depends on the content only, prepared once per edition of it. */
function preparedReply(content: Content): (make: () => Buffer) => Promise<Representation> {
  let edition: object | null = null
  let reply: Promise<Representation> | null = null
  return (make) => {
    if (reply === null || edition !== content.edition) {
      edition = content.edition
      reply = Representation.of(make())
    }
    return reply
  }
}

const { published } = recorded
const wallet = published['game-players'][0]!.wallet

/** A request to a path, and the 200 if an operator publishes the items of content.json. */
function contentExample({ answer, parameters }: ContentPath): Example {
  if (answer.kind === 'fixed') return { request: {}, reply: answer.body }
  const items: readonly { readonly id: string; readonly queue?: string }[] = published[answer.of]
  if (answer.kind === 'operation') return { request: { operation: ALL }, reply: { items } }
  if (answer.kind === 'first') {
    return { request: parameters.includes('wallet') ? { wallet } : {}, reply: items[0] }
  }
  const { queue } = answer
  const found = queue === undefined ? items : items.filter((item) => item.queue === queue)
  const isPaged = parameters.includes('cursor') || parameters.includes('before')
  return { request: {}, reply: { items: found, ...(isPaged ? { next: null } : {}) } }
}
