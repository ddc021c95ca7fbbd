import t from 'tap'
import { type TSchema, Type } from 'typebox'
import { Settings } from 'typebox/system'
import { GatewayError } from '../../src/runtime/errors.ts'
import { compile, refuseInput } from '../../src/runtime/validate.ts'
import fc from '../fixtures/fast-check.ts'

const Side = Type.Enum(['buy', 'sell'])
const Order = Type.Object(
  {
    chain: Type.String(),
    side: Side,
    amount: Type.String({ title: 'a positive decimal number', pattern: '^\\d*\\.?\\d+$' }),
    slippageBps: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000 })),
    from: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    quote: Type.Optional(Type.Object({ raw: Type.String({ minLength: 1 }) })),
    tags: Type.Optional(Type.Array(Side, { maxItems: 2 })),
  },
  { additionalProperties: false },
)
const NAMES = 'chain, side, amount, slippageBps, from, quote, tags'
const order = { chain: 'solana', side: 'buy', amount: '1.5' }

const WORDS: [schema: TSchema, refused: unknown, message: string][] = [
  [Type.String(), 5, 'a string'],
  [Type.String({ minLength: 1 }), '', 'a string of at least 1 character'],
  [Type.String({ minLength: 2 }), 'a', 'a string of at least 2 characters'],
  [Type.String({ maxLength: 3 }), 'abcd', 'a string of at most 3 characters'],
  [Type.String({ minLength: 32, maxLength: 44 }), 'a', 'a string of 32 to 44 characters'],
  [Type.String({ minLength: 4, maxLength: 4 }), 'a', 'a string of 4 characters'],
  [Type.String({ pattern: '^a+$' }), 'b', 'a string that matches ^a+$'],
  [Type.String({ pattern: '^a+$', title: 'some letters a' }), 'b', 'some letters a'],
  [Type.Integer(), '7', 'an integer'],
  [Type.Integer({ minimum: 1, maximum: 5000 }), 7.9, 'an integer from 1 to 5000'],
  [Type.Integer({ minimum: 1, maximum: 5000 }), 0, 'an integer from 1 to 5000'],
  [Type.Integer({ minimum: 1, maximum: 5000 }), 5001, 'an integer from 1 to 5000'],
  [Type.Number({ minimum: 0 }), -0.1, 'a number of at least 0'],
  [Type.Number({ maximum: 1 }), 1.1, 'a number of at most 1'],
  [Type.Number(), null, 'a number'],
  [Type.Boolean(), 'true', 'true or false'],
  [Side, 'hold', 'one of buy, sell'],
  [Type.Enum(['a', 1]), 2, 'one of a, 1'],
  [Type.Literal('2.0'), '1.0', '2.0'],
  [Type.Literal(2), '2', '2'],
  [Type.Unsafe({ not: { const: 1 } }), 1, 'as /openapi.json describes it'],
  [Type.Array(Side, { minItems: 1 }), [], 'an array of at least 1 item, each one of buy, sell'],
  [Type.Array(Side, { minItems: 1, maxItems: 2 }), [], 'an array of 1 to 2 items, each one of buy, sell'],
  [Type.Array(Side, { maxItems: 1 }), ['buy', 'buy'], 'an array of at most 1 item, each one of buy, sell'],
  [Type.Object({}), [], 'an object'],
  [Type.Object({}), null, 'an object'],
  [Type.Union([Side, Type.Null()]), 'hold', 'one of buy, sell'],
  [Type.Union([Type.Integer(), Side, Type.Null()]), true, 'an integer, or one of buy, sell'],
  [Type.Union([Type.Object({}), Type.Boolean()]), 'x', 'an object, or true or false'],
  [Type.Refine(Type.String({ title: 'an even word' }), (s) => s.length % 2 === 0), 'odd', 'an even word'],
]

const FIELDS: [body: unknown, field: string | undefined, message: string][] = [
  [[], undefined, 'The body must be an object.'],
  ['x', undefined, 'The body must be an object.'],
  [{}, 'chain', '`chain` is required and must be a string.'],
  [{ chain: 'solana', amount: '1' }, 'side', '`side` is required and must be one of buy, sell.'],
  [{ ...order, side: 'hold' }, 'side', '`side` must be one of buy, sell.'],
  [{ ...order, amount: '1e3' }, 'amount', '`amount` must be a positive decimal number.'],
  [{ ...order, slippageBps: 7.9 }, 'slippageBps', '`slippageBps` must be an integer from 1 to 5000.'],
  [{ ...order, from: 7 }, 'from', '`from` must be a string.'],
  [{ ...order, quote: [] }, 'quote', '`quote` must be an object.'],
  [
    { ...order, quote: {} },
    'quote.raw',
    '`quote.raw` is required and must be a string of at least 1 character.',
  ],
  [{ ...order, quote: { raw: 1 } }, 'quote.raw', '`quote.raw` must be a string of at least 1 character.'],
  [{ ...order, tags: ['buy', 'x'] }, 'tags[1]', '`tags[1]` must be one of buy, sell.'],
  [{ ...order, slipage: 1 }, 'slipage', `\`slipage\` is not accepted; the accepted properties are ${NAMES}.`],
  [
    JSON.parse('{"chain":"solana","side":"buy","amount":"1","__proto__":{}}'),
    '__proto__',
    `\`__proto__\` is not accepted; the accepted properties are ${NAMES}.`,
  ],
  [
    { ...order, '<script>': 1 },
    undefined,
    `The body has a property that is not accepted; the accepted ones are ${NAMES}.`,
  ],
]

t.test('says what would be accepted, whichever keyword refused', async (t) => {
  for (const [schema, refused, accepted] of WORDS) {
    const validator = compile(schema)
    t.notOk(validator.Check(refused), accepted)
    t.equal(refuseInput(validator, refused, 'x').message, `\`x\` must be ${accepted}.`)
  }
})

t.test('names the first field that fails', async (t) => {
  const validator = compile(Order)
  for (const [body, field, message] of FIELDS) {
    t.notOk(validator.Check(body), message)
    const { code, fields, message: said } = refuseInput(validator, body)
    t.same({ code, field: fields.field, said }, { code: 'invalid_parameter', field, said: message })
  }
  t.ok(validator.Check({ ...order, from: null, tags: [] }), 'a good body is not refused')
})

t.test('names fields below the path that it was given', async (t) => {
  const List = {
    type: 'array',
    prefixItems: [Side, Type.Union([Order, Type.Null()])],
    minItems: 1,
    maxItems: 2,
  }
  const validator = compile(Type.Unsafe(List))
  const cases: [value: unknown, field: string][] = [
    [[], 'params'],
    [['buy', null, 1], 'params'],
    [['hold'], 'params[0]'],
    [['buy', 5], 'params[1]'],
    [['buy', { ...order, side: 1 }], 'params[1].side'],
    [['buy', { ...order, quote: {} }], 'params[1].quote.raw'],
  ]
  for (const [value, field] of cases) {
    t.notOk(validator.Check(value), field)
    t.equal(refuseInput(validator, value, 'params').fields.field, field)
  }
})

t.test('explains a rule between properties by the title of the object', async (t) => {
  const Exclusive = Type.Object(
    { a: Type.Optional(Type.Boolean()), b: Type.Optional(Type.Boolean()) },
    { title: 'an object with a or b, not both', maxProperties: 1 },
  )
  const { message } = refuseInput(compile(Exclusive), { a: true, b: true }, 'x')
  t.equal(message, '`x` must be an object with a or b, not both.')
})

t.test('never repeats what the caller sent, and always answers with a sentence', async () => {
  const validator = compile(Order)
  const secret = fc.constantFrom('s3cret!', 'https://key@host/', '\u0000', '-1e309')
  const junk = fc.oneof(
    secret,
    fc.dictionary(secret, secret),
    fc.array(secret),
    fc.double(),
    fc.constant(null),
  )
  const key = fc.oneof(fc.constantFrom(...Object.keys(Order.properties)), secret)
  const bodies = fc.oneof(junk, fc.dictionary(key, fc.oneof(junk, fc.constantFrom('buy', '1.5', 'solana'))))
  fc.assert(
    fc.property(bodies, (body) => {
      fc.pre(!validator.Check(body))
      const refusal = refuseInput(validator, body)
      const text = JSON.stringify([refusal.message, refusal.fields])
      return (
        refusal instanceof GatewayError &&
        refusal.status === 400 &&
        /^(The body|`[\w.[\]]+`) .+\.$/.test(refusal.message) &&
        !/s3cret|host|\\u0000|1e309/.test(text)
      )
    }),
    { numRuns: 2000 },
  )
})

t.test('compiles schemas of the same text once', async (t) => {
  t.equal(compile(Type.Object({ a: Type.Integer() })), compile(Type.Object({ a: Type.Integer() })))
  t.not(compile(Type.Object({ a: Type.Integer() })), compile(Type.Object({ a: Type.Number() })))
})

t.test('stops the start of a process that may not generate code', async (t) => {
  Settings.Set({ useAcceleration: false })
  t.teardown(() => Settings.Set({ useAcceleration: true }))
  // None that was compiled before.
  const schema = { ...Order, title: 'an order' }
  t.throws(() => compile(schema), { name: 'TypeError', message: /--disallow-code-generation-from-strings/ })
})
