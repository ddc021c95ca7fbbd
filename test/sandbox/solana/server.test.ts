import {
  address,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  lamports,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import {
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  type Keypair,
  Keypair as Keys,
  NonceAccount,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import t from 'tap'
import { type Node, startNode } from '../../fixtures/sandbox.ts'
import {
  accountDataSize,
  approve,
  associatedAddress,
  closeAccount,
  createAssociated,
  initializeMint,
  MINT_BYTES,
  mintTo,
  setCloseAuthority,
  syncNative,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../fixtures/spl.ts'

const SOL = 1_000_000_000

async function send(
  node: Node,
  instructions: TransactionInstruction[],
  ...signers: Keypair[]
): Promise<string> {
  const { blockhash } = await node.connection.getLatestBlockhash()
  const transaction = new Transaction({ feePayer: signers[0]!.publicKey, recentBlockhash: blockhash })
  transaction.add(...instructions).sign(...signers)
  return node.connection.sendRawTransaction(transaction.serialize())
}

/** @returns the error's message, code and data */
async function refusal(node: Node, bytes: Uint8Array, options: object = {}) {
  const params = [Buffer.from(bytes).toString('base64'), { encoding: 'base64', ...CONFIRMED, ...options }]
  return (await node.call('sendTransaction', params)).body.error
}
const CONFIRMED = { preflightCommitment: 'confirmed' }

t.test('a wallet is funded, pays, and its payment grows old', async (t) => {
  const node = await startNode(t)
  const { connection } = node
  const wallet = await node.funded(2 * SOL)
  const friend = Keys.generate().publicKey
  t.equal(await connection.getBalance(wallet.publicKey), 2 * SOL)
  t.equal(await connection.getBalance(friend), 0, 'an absent account has no lamports')

  const id = await connection.sendRawTransaction(await node.transfer(wallet, friend, SOL))
  const slot = await connection.getSlot('processed')
  const status = { slot, err: null, status: { Ok: null } }
  const ages: [slots: number, confirmations: number | null, confirmationStatus: string][] = [
    [0, 0, 'processed'],
    [1, 1, 'confirmed'],
    [30, 31, 'confirmed'],
    [1, null, 'finalized'],
  ]
  for (const [slots, confirmations, confirmationStatus] of ages) {
    node.advance(slots)
    const { value } = await connection.getSignatureStatus(id)
    t.same(value, { ...status, confirmations, confirmationStatus })
  }
  node.advance(300 - 32)
  t.ok((await connection.getSignatureStatus(id)).value)
  node.advance(1)
  t.equal((await connection.getSignatureStatus(id)).value, null, 'the status cache reaches back 300 slots')
  t.ok((await connection.getSignatureStatus(id, { searchTransactionHistory: true })).value)

  const landed = await connection.getTransaction(id, { maxSupportedTransactionVersion: 0 })
  t.match(landed, { slot, blockTime: Date.UTC(2026, 10, 20, 12) / 1_000, version: 'legacy' })
  t.match(landed?.meta, {
    err: null,
    fee: 5_000,
    preBalances: [2 * SOL, 0, 1],
    postBalances: [SOL - 5_000, SOL, 1],
    innerInstructions: { length: 0 },
    preTokenBalances: { length: 0 },
    computeUnitsConsumed: 150,
    logMessages: [
      'Program 11111111111111111111111111111111 invoke [1]',
      'Program 11111111111111111111111111111111 success',
    ],
  })
})

t.test('a transaction is visible at each commitment that may have seen it, in every encoding', async (t) => {
  const node = await startNode(t)
  const wallet = await node.funded()
  const bytes = await node.transfer(wallet, Keys.generate().publicKey, SOL)
  const id = await node.connection.sendRawTransaction(bytes)
  const get = async (...options: unknown[]) =>
    (await node.call('getTransaction', [id, ...options])).body.result

  t.equal(await get({ commitment: 'confirmed' }), null)
  node.advance(1)
  t.ok(await get({ commitment: 'confirmed' }))
  t.equal(await get(), null, 'finalized is the default')
  node.advance(31)

  const base64 = bytes.toString('base64')
  t.same((await get({ encoding: 'base64' })).transaction, [base64, 'base64'])
  t.same((await get('base64')).transaction, [base64, 'base64'], 'the deprecated form')
  t.equal((await get('base58')).transaction[1], 'base58')
  t.type((await get('binary')).transaction, 'string')
  t.notOk('version' in (await get()), 'no version for a client that names none')

  const parsed = (await get('jsonParsed')).transaction.message
  t.same(
    parsed.accountKeys.map((key: object) => Object.values(key).slice(1)),
    [
      [true, true, 'transaction'],
      [false, true, 'transaction'],
      [false, false, 'transaction'],
    ],
  )
  t.match(parsed.instructions, [{ programId: '1'.repeat(32), stackHeight: 1 }])
  t.notOk('addressTableLookups' in parsed)
})

t.test(
  'blockhashes live for 150 blocks, and nobody may name one that the commitment has not seen',
  async (t) => {
    const node = await startNode(t)
    const { connection } = node
    const wallet = await node.funded()
    const friend = Keys.generate().publicKey
    const isValid = async (hash: string) => (await connection.isBlockhashValid(hash)).value
    await node.funded()

    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('processed')
    t.equal(lastValidBlockHeight, (await connection.getBlockHeight('processed')) + 150)
    const transaction = (lamports: number) => node.transfer(wallet, friend, lamports, blockhash)

    t.match(
      await refusal(node, await transaction(SOL)),
      { data: { err: 'BlockhashNotFound' } },
      'not yet confirmed',
    )
    node.advance(1)
    t.match(
      await refusal(node, await transaction(SOL), { preflightCommitment: 'finalized' }),
      { data: { err: 'BlockhashNotFound' } },
      'confirmed, not yet finalized',
    )
    t.equal(await isValid(blockhash), true)
    t.equal(await refusal(node, await transaction(SOL)), undefined)
    node.advance(149)
    t.equal(await connection.getBlockHeight('processed'), lastValidBlockHeight)
    t.equal(await refusal(node, await transaction(SOL + 1)), undefined, 'the last block')
    t.match(await refusal(node, await transaction(SOL)), { data: { err: 'AlreadyProcessed' } })
    node.advance(1)
    t.match(
      await refusal(node, await transaction(SOL + 2)),
      { code: -32002, message: 'Transaction simulation failed: Blockhash not found' },
      'one block too late',
    )
    t.match(
      await refusal(node, await transaction(SOL)),
      { data: { err: 'BlockhashNotFound' } },
      'age comes first',
    )
    t.equal(await isValid(blockhash), false)
    t.equal(await connection.getBalance(friend), 2 * SOL + 1)

    const slot = await connection.getSlot('processed')
    node.advance(1_000_000)
    t.equal(await connection.getSlot('processed'), slot + 1_000_000, 'five days away cost nothing')
    t.equal(await refusal(node, await node.transfer(wallet, friend, SOL)), undefined)
  },
)

t.test('refuses what a validator refuses, with its words', async (t) => {
  const node = await startNode(t)
  const [wallet, poor] = [await node.funded(), Keys.generate()]
  const good = await node.transfer(wallet, poor.publicKey, SOL)
  const flipped = Buffer.from(good)
  flipped[40]! ^= 1
  const duplicate = Buffer.from(good)
  duplicate.copy(duplicate, 1 + 64 + 4 + 32, 1 + 64 + 4, 1 + 64 + 4 + 32)

  const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000 })
  const cases: [what: string, bytes: Uint8Array, err: unknown, message: string][] = [
    ['a bad signature', flipped, 'SignatureFailure', 'Transaction did not pass signature verification'],
    [
      'a payer without lamports',
      await node.transfer(poor, wallet.publicKey, 1),
      'AccountNotFound',
      'Attempt to debit an account but found no record of a prior credit.',
    ],
    [
      'more than there is',
      await node.transfer(wallet, poor.publicKey, 11 * SOL),
      { InstructionError: [0, { Custom: 1 }] },
      'Error processing Instruction 0: custom program error: 0x1',
    ],
    [
      'a new account below the rent-exempt minimum',
      await node.transfer(wallet, poor.publicKey, 1),
      { InsufficientFundsForRent: { account_index: 1 } },
      'Transaction results in an account (1) with insufficient funds for rent',
    ],
    [
      'the same limit set twice',
      await node.signed(wallet, limit, limit),
      { DuplicateInstruction: 1 },
      'Transaction contains a duplicate instruction (1) that is not allowed',
    ],
    [
      'a blockhash of no block',
      await node.transfer(wallet, poor.publicKey, SOL, '1'.repeat(32)),
      'BlockhashNotFound',
      'Blockhash not found',
    ],
  ]
  for (const [what, bytes, err, message] of cases) {
    const error = await refusal(node, bytes)
    t.match(error, { code: -32002, message: `Transaction simulation failed: ${message}` }, what)
    t.same(error.data.err, err)
    t.strictSame(Object.keys(error.data).sort(), SIMULATION_KEYS, 'data is a whole simulation result')
  }
  t.equal(await node.connection.getBalance(wallet.publicKey), 10 * SOL, 'a refusal costs nothing')
  await t.rejects(node.connection.sendRawTransaction(cases[2]![1]), {
    name: 'Error',
    message: /custom program error: 0x1/,
  })
})

const SIMULATION_KEYS = [
  'accounts',
  'err',
  'fee',
  'innerInstructions',
  'loadedAccountsDataSize',
  'loadedAddresses',
  'logs',
  'postBalances',
  'postTokenBalances',
  'preBalances',
  'preTokenBalances',
  'replacementBlockhash',
  'returnData',
  'unitsConsumed',
]

t.test('without preflight a bad transaction is taken, and lost or landed as it deserves', async (t) => {
  const node = await startNode(t)
  const { connection } = node
  const wallet = await node.funded()
  const friend = Keys.generate().publicKey
  const blind = { skipPreflight: true }

  const failing = await connection.sendRawTransaction(await node.transfer(wallet, friend, 11 * SOL), blind)
  const { value } = await connection.getSignatureStatus(failing)
  t.same(value?.err, { InstructionError: [0, { Custom: 1 }] })
  t.equal(await connection.getBalance(wallet.publicKey, 'processed'), 10 * SOL - 5_000, 'it paid its fee')
  node.advance(1)
  const landed = (await node.call('getTransaction', [failing, { commitment: 'confirmed' }])).body.result
  t.match(landed.meta, { fee: 5_000, status: { Err: value?.err } })

  const orphan = await node.transfer(wallet, friend, SOL, '1'.repeat(32))
  const lost = await connection.sendRawTransaction(orphan, blind)
  t.equal((await connection.getSignatureStatus(lost)).value, null)
  t.match(
    await refusal(node, orphan.subarray(0, 100), blind),
    { code: -32602 },
    'bytes are decoded all the same',
  )
})

t.test('simulates as asked, and changes nothing', async (t) => {
  const node = await startNode(t)
  const wallet = await node.funded(2 * SOL)
  const friend = Keys.generate().publicKey
  const bytes = await node.transfer(wallet, friend, SOL)
  const unsigned = Buffer.from(bytes).fill(0, 1, 65)
  const old = Buffer.from(await node.transfer(wallet, friend, SOL, '1'.repeat(32)))
  const simulate = async (tx: Buffer, options: object = {}) => {
    const config = { encoding: 'base64', commitment: 'confirmed', ...options }
    return (await node.call('simulateTransaction', [tx.toString('base64'), config])).body
  }

  const { value } = (await simulate(unsigned)).result
  t.match(value, { err: null, fee: 5_000, unitsConsumed: 150, accounts: null, replacementBlockhash: null })
  t.same(value.postBalances, [SOL - 5_000, SOL, 1])
  t.strictSame(Object.keys(value).sort(), SIMULATION_KEYS)
  t.equal((await simulate(unsigned, { sigVerify: true })).result.value.err, 'SignatureFailure')
  t.equal((await simulate(bytes, { sigVerify: true })).result.value.err, null)

  t.equal((await simulate(old)).result.value.err, 'BlockhashNotFound')
  const replaced = (await simulate(old, { replaceRecentBlockhash: true })).result.value
  const latest = await node.connection.getLatestBlockhash()
  t.match(replaced, { err: null, replacementBlockhash: latest })

  const wanted = { addresses: [friend.toBase58(), wallet.publicKey.toBase58()], encoding: 'base64' }
  const shown = (await simulate(bytes, { accounts: wanted })).result.value.accounts
  t.same(
    shown.map((account: { lamports: number }) => account.lamports),
    [SOL, SOL - 5_000],
  )
  const failed = (await simulate(old, { accounts: wanted })).result.value.accounts
  t.same(failed, [null, null])

  const errors: [options: object, message: string][] = [
    [
      { sigVerify: true, replaceRecentBlockhash: true },
      'sigVerify may not be used with replaceRecentBlockhash',
    ],
    [{ accounts: { ...wanted, encoding: 'base58' } }, 'base58 encoding not supported'],
    [{ accounts: { addresses: new Array(4).fill(friend.toBase58()) } }, 'Too many accounts provided; max 3'],
  ]
  for (const [options, message] of errors) {
    t.match(await simulate(bytes, options), { error: { code: -32602, message } })
  }

  t.equal(await node.connection.getBalance(wallet.publicKey), 2 * SOL)
  await node.connection.sendRawTransaction(bytes)
  t.equal((await simulate(bytes)).result.value.err, 'AlreadyProcessed')
  t.same(
    (await simulate(bytes, { replaceRecentBlockhash: true })).result.value.err,
    { InstructionError: [0, { Custom: 1 }] },
    'a new transaction, which the wallet cannot pay',
  )
})

for (const [name, program] of [
  ['spl-token', TOKEN_PROGRAM],
  ['spl-token-2022', TOKEN_2022_PROGRAM],
] as const) {
  t.test(`${name}: mint, accounts and balances`, async (t) => {
    const node = await startNode(t)
    const { connection } = node
    const wallet = await node.funded()
    const mint = Keys.generate()
    const token = { program, mint: mint.publicKey }
    const owner = wallet.publicKey
    const account = associatedAddress(token, owner)

    await send(
      node,
      [
        SystemProgram.createAccount({
          fromPubkey: owner,
          newAccountPubkey: mint.publicKey,
          lamports: await connection.getMinimumBalanceForRentExemption(MINT_BYTES),
          space: MINT_BYTES,
          programId: program,
        }),
        initializeMint(token, owner, 6),
      ],
      wallet,
      mint,
    )
    const id = await send(
      node,
      [createAssociated(token, owner, owner), mintTo(token, owner, owner, 1_234_500n)],
      wallet,
    )
    const uiTokenAmount = { uiAmount: 1.2345, decimals: 6, amount: '1234500', uiAmountString: '1.2345' }
    node.advance(32)
    t.same((await connection.getTokenAccountBalance(account)).value, uiTokenAmount)

    const filters: [filter: object, found: number][] = [
      [{ mint: mint.publicKey.toBase58() }, 1],
      [{ programId: program.toBase58() }, 1],
      [{ programId: (program === TOKEN_PROGRAM ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM).toBase58() }, 0],
    ]
    for (const [filter, found] of filters) {
      const { body } = await node.call('getTokenAccountsByOwner', [
        owner.toBase58(),
        filter,
        { encoding: 'base64' },
      ])
      t.equal(body.result.value.length, found, JSON.stringify(filter))
      if (found === 1) t.equal(body.result.value[0].pubkey, account.toBase58())
    }
    const stranger = Keys.generate().publicKey
    t.same((await connection.getTokenAccountsByOwner(stranger, { programId: program })).value, [])

    await send(node, [approve(token, owner, stranger, 500_000n)], wallet)
    node.advance(1)
    const [parsed] = (await connection.getParsedTokenAccountsByOwner(owner, { mint: mint.publicKey })).value
    t.match(parsed?.account.data, {
      program: name,
      parsed: {
        type: 'account',
        info: {
          mint: mint.publicKey.toBase58(),
          owner: owner.toBase58(),
          tokenAmount: uiTokenAmount,
          delegate: stranger.toBase58(),
          delegatedAmount: { amount: '500000', uiAmountString: '0.5' },
          state: 'initialized',
          isNative: false,
        },
      },
    })
    const { info } = parsed!.account.data.parsed
    t.same(info.extensions, program === TOKEN_PROGRAM ? undefined : [{ extension: 'immutableOwner' }])
    t.match((await connection.getParsedAccountInfo(mint.publicKey)).value?.data, {
      program: name,
      parsed: {
        type: 'mint',
        info: { decimals: 6, supply: '1234500', mintAuthority: owner.toBase58(), freezeAuthority: null },
      },
      space: MINT_BYTES,
    })

    const { meta } = (await node.call('getTransaction', [id, { commitment: 'confirmed' }])).body.result
    t.same(meta.preTokenBalances, [])
    t.match(meta.postTokenBalances, [
      {
        mint: mint.publicKey.toBase58(),
        owner: owner.toBase58(),
        programId: program.toBase58(),
        uiTokenAmount,
      },
    ])
    t.ok(meta.innerInstructions[0].instructions.length > 0, 'the associated token program called others')
    t.equal(meta.innerInstructions[0].instructions[0].stackHeight, 2)

    for (const [params, message] of [
      [[owner.toBase58()], 'Invalid param: not a Token account'],
      [[stranger.toBase58()], 'Invalid param: could not find account'],
      [[mint.publicKey.toBase58()], 'Invalid param: not a Token account'],
    ] as const) {
      t.match((await node.call('getTokenAccountBalance', params)).body.error, { code: -32602, message })
    }
  })
}

t.test('wrapped lamports are a token, a closed account is gone, and return data is returned', async (t) => {
  const node = await startNode(t)
  const { connection } = node
  const wallet = await node.funded()
  const owner = wallet.publicKey
  const token = { program: TOKEN_PROGRAM, mint: new PublicKey('So11111111111111111111111111111111111111112') }
  const account = associatedAddress(token, owner)
  const wrap = SystemProgram.transfer({ fromPubkey: owner, toPubkey: account, lamports: SOL })
  const create = createAssociated(token, owner, owner)
  await send(node, [create, wrap, syncNative(token, owner), setCloseAuthority(token, owner, owner)], wallet)
  node.advance(1)
  const { value } = await connection.getParsedAccountInfo(account)
  t.match(value?.data, {
    parsed: {
      info: {
        isNative: true,
        tokenAmount: { uiAmountString: '1', decimals: 9 },
        rentExemptReserve: { amount: '2039280' },
        closeAuthority: owner.toBase58(),
      },
    },
  })
  await send(node, [closeAccount(token, owner)], wallet)
  node.advance(1)
  t.same((await connection.getTokenAccountsByOwner(owner, { programId: TOKEN_PROGRAM })).value, [])
  t.equal(await connection.getAccountInfo(account), null)

  const asked = await node.signed(wallet, accountDataSize(token))
  const params = [asked.toString('base64'), { encoding: 'base64', commitment: 'confirmed' }]
  const { returnData } = (await node.call('simulateTransaction', params)).body.result.value
  const size = Buffer.alloc(8)
  size.writeBigUInt64LE(165n)
  t.same(returnData, { programId: TOKEN_PROGRAM.toBase58(), data: [size.toString('base64'), 'base64'] })
  const id = await connection.sendRawTransaction(asked)
  node.advance(1)
  const { meta } = (await node.call('getTransaction', [id, { commitment: 'confirmed' }])).body.result
  t.same(meta.returnData, returnData)
})

t.test('lookup tables are read by the transactions that name them', async (t) => {
  const node = await startNode(t)
  const { connection } = node
  const wallet = await node.funded()
  const friend = Keys.generate().publicKey
  const authority = wallet.publicKey
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot: await connection.getSlot('finalized'),
  })
  const extend = AddressLookupTableProgram.extendLookupTable({
    lookupTable: table,
    authority,
    payer: authority,
    addresses: [friend],
  })
  await send(node, [create, extend], wallet)
  const { value } = await connection.getAddressLookupTable(table, { commitment: 'processed' })

  const build = async (key: PublicKey, lamports: number): Promise<Uint8Array> => {
    const { blockhash } = await connection.getLatestBlockhash()
    const message = new TransactionMessage({
      payerKey: authority,
      recentBlockhash: blockhash,
      instructions: [SystemProgram.transfer({ fromPubkey: authority, toPubkey: friend, lamports })],
    }).compileToV0Message([Object.assign(value!, { key })])
    const transaction = new VersionedTransaction(message)
    transaction.sign([wallet])
    return transaction.serialize()
  }
  t.match(
    await refusal(node, await build(table, SOL)),
    { code: -32602, message: 'invalid transaction: Transaction address table lookup uses an invalid index' },
    'an entry can be used from the next slot on',
  )
  node.advance(1)
  for (const [key, message] of [
    [
      Keys.generate().publicKey,
      "invalid transaction: Transaction loads an address table account that doesn't exist",
    ],
    [authority, 'invalid transaction: Transaction loads an address table account with an invalid owner'],
  ] as const) {
    t.match(await refusal(node, await build(key, SOL)), { code: -32602, message })
    t.match(await refusal(node, await build(key, SOL), { skipPreflight: true }), { code: -32602, message })
  }
  const id = await connection.sendRawTransaction(await build(table, SOL))
  node.advance(1)

  const unversioned = (await node.call('getTransaction', [id, { commitment: 'confirmed' }])).body.error
  t.match(unversioned, { code: -32015, message: /Transaction version \(0\) is not supported/ })
  const landed = await connection.getTransaction(id, { maxSupportedTransactionVersion: 0 })
  t.equal(landed?.version, 0)
  t.same(landed?.meta?.loadedAddresses, { writable: [friend], readonly: [] })
  t.same(landed?.meta?.postBalances[2], SOL, 'the looked-up account comes after the static keys')
  const parsed = await connection.getParsedTransaction(id, { maxSupportedTransactionVersion: 0 })
  t.match(parsed?.transaction.message.accountKeys[2], { writable: true, source: 'lookupTable' })
})

t.test('accounts are as of the slot that their commitment has, and the context names it', async (t) => {
  const node = await startNode(t)
  const wallet = await node.funded(3 * SOL)
  const token = { program: TOKEN_PROGRAM, mint: new PublicKey('So11111111111111111111111111111111111111112') }
  const [owner, account] = [wallet.publicKey, associatedAddress(token, wallet.publicKey)]
  const wrap = SystemProgram.transfer({ fromPubkey: owner, toPubkey: account, lamports: 7 })
  t.equal(await node.connection.getBalance(owner, 'finalized'), 3 * SOL, 'what the faucet gave is everywhere')
  await send(node, [createAssociated(token, owner, owner)], wallet)
  node.advance(3)
  await send(node, [wrap, syncNative(token, owner)], wallet)
  /** What is in the account, by each of the methods. */
  const amounts = async (commitment: 'processed' | 'confirmed' | 'finalized') => {
    const config = { commitment, encoding: 'jsonParsed' }
    const ask = async (method: string, ...params: unknown[]) =>
      (await node.call(method, [...params, config])).body.result
    const amountOf = (account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } | null) =>
      account?.data.parsed.info.tokenAmount.amount
    const slot = await node.connection.getSlot(commitment)
    const info = await ask('getAccountInfo', account)
    const many = await ask('getMultipleAccounts', [account, owner])
    const owned = await ask('getTokenAccountsByOwner', owner, { mint: token.mint })
    const lamports = await ask('getBalance', account)
    const amount = await ask('getTokenAccountBalance', account)
    for (const answer of [info, many, owned, lamports, ...(amount === undefined ? [] : [amount])]) {
      t.equal(answer.context.slot, slot)
    }
    t.equal(many.value[0]?.lamports ?? 0, lamports.value)
    return [info.value, many.value[0], owned.value[0]?.account]
      .map((account) => amountOf(account ?? null))
      .concat(amount?.value.amount)
  }
  const commitments = ['processed', 'confirmed', 'finalized'] as const
  const behind = { processed: 0, confirmed: 1, finalized: 32 }
  for (let age = 3; age <= 35; node.advance(1), age++) {
    if (age > 4 && age < 31) continue
    for (const commitment of commitments) {
      const seen = age - behind[commitment]
      const expected = seen >= 3 ? '7' : seen >= 0 ? '0' : undefined
      t.same(await amounts(commitment), Array(4).fill(expected), `${commitment} at ${age}`)
    }
  }
})

t.test('a durable nonce outlives every blockhash, once', async (t) => {
  const node = await startNode(t)
  const { connection } = node
  const wallet = await node.funded()
  const nonce = Keys.generate()
  const [authorizedPubkey, noncePubkey] = [wallet.publicKey, nonce.publicKey]
  const create = SystemProgram.createNonceAccount({
    fromPubkey: authorizedPubkey,
    noncePubkey,
    authorizedPubkey,
    lamports: SOL,
  })
  await send(node, create.instructions, wallet, nonce)

  const stored = await connection.getAccountInfo(noncePubkey, 'processed')
  const transaction = new Transaction({
    feePayer: authorizedPubkey,
    nonceInfo: {
      nonce: NonceAccount.fromAccountData(stored!.data).nonce,
      nonceInstruction: SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey }),
    },
  })
  const friend = Keys.generate().publicKey
  transaction.add(SystemProgram.transfer({ fromPubkey: authorizedPubkey, toPubkey: friend, lamports: SOL }))
  transaction.sign(wallet)
  node.advance(10_000)
  t.equal(await refusal(node, transaction.serialize()), undefined)
  t.equal(await connection.getBalance(friend), 0)
  node.advance(1)
  t.equal(await connection.getBalance(friend), SOL)
  t.match(await refusal(node, transaction.serialize()), { code: -32002, data: { err: 'BlockhashNotFound' } })
})

t.test('a nonce is of the slot, whatever blockhash the transaction names', async (t) => {
  const node = await startNode(t)
  const wallet = await node.funded()
  const nonce = Keys.generate()
  const [authorizedPubkey, noncePubkey] = [wallet.publicKey, nonce.publicKey]
  const made = { fromPubkey: authorizedPubkey, noncePubkey, authorizedPubkey, lamports: SOL }
  const sendNamed = async (
    blockhash: string,
    instructions: TransactionInstruction[],
    ...signers: Keypair[]
  ) => {
    const transaction = new Transaction({ feePayer: authorizedPubkey, recentBlockhash: blockhash })
    transaction.add(...instructions).sign(...signers)
    return node.connection.sendRawTransaction(transaction.serialize())
  }
  const stored = async () => (await node.connection.getNonce(noncePubkey, 'processed'))!.nonce
  const { blockhash } = await node.connection.getLatestBlockhash()
  await sendNamed(blockhash, SystemProgram.createNonceAccount(made).instructions, wallet, nonce)
  const nonces = [await stored()]
  for (let i = 0; i < 6; i++) {
    const newest = await node.connection.getLatestBlockhash('processed')
    node.advance(1)
    const named = i < 3 ? blockhash : newest.blockhash
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: i })
    await sendNamed(named, [SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey }), price], wallet)
    nonces.push(await stored())
  }
  t.equal(new Set(nonces).size, 7)
})

t.test('the Clock sysvar follows the clock', async (t) => {
  const node = await startNode(t)
  const clock = 'SysvarC1ock11111111111111111111111111111111'
  const read = async () => {
    const { value } = (await node.call('getAccountInfo', [clock, { encoding: 'base64' }])).body.result
    const data = Buffer.from(value.data[0], 'base64')
    return [Number(data.readBigUInt64LE(0)), Number(data.readBigInt64LE(32))]
  }
  const [slot, time] = await read()
  t.same([slot, time], [await node.connection.getSlot('processed'), Date.UTC(2026, 10, 20, 12) / 1_000])
  node.advance(25)
  t.same(await read(), [slot! + 25, time! + 5])
})

t.test('the fee of a message is what the transaction then pays', async (t) => {
  const node = await startNode(t)
  const { connection } = node
  const wallet = await node.funded()
  const other = await node.funded()
  const pay = SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: other.publicKey, lamports: 7 })
  const payBack = SystemProgram.transfer({
    fromPubkey: other.publicKey,
    toPubkey: wallet.publicKey,
    lamports: 7,
  })
  const memo = new TransactionInstruction({
    keys: [],
    programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    data: Buffer.from('hello'),
  })
  const price = (microLamports: number) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports })
  const limit = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units })
  const cases: [instructions: TransactionInstruction[], signers: Keypair[], fee: number][] = [
    [[pay], [wallet], 5_000],
    [[pay, payBack], [wallet, other], 10_000],
    [[pay, price(1_000_000)], [wallet], 5_000 + 6_000],
    [[pay, memo, price(1_000_000)], [wallet], 5_000 + 206_000],
    [[pay, price(7), limit(100_001)], [wallet], 5_001],
    [[pay, price(1_000_000), limit(2_000_000)], [wallet], 5_000 + 1_400_000],
  ]
  for (const [instructions, signers, fee] of cases) {
    const { blockhash } = await connection.getLatestBlockhash()
    for (const version of ['legacy', 0] as const) {
      const draft = new TransactionMessage({
        payerKey: wallet.publicKey,
        recentBlockhash: blockhash,
        instructions,
      })
      const message = version === 0 ? draft.compileToV0Message() : draft.compileToLegacyMessage()
      t.equal((await connection.getFeeForMessage(message)).value, fee)
      const transaction = new VersionedTransaction(message)
      transaction.sign(signers)
      const id = await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true })
      node.advance(1)
      const landed = await connection.getTransaction(id, { maxSupportedTransactionVersion: 0 })
      t.equal(landed?.meta?.fee, fee)
    }
  }
  const draft = new TransactionMessage({
    payerKey: wallet.publicKey,
    recentBlockhash: Keys.generate().publicKey.toBase58(),
    instructions: [pay],
  })
  t.equal(
    (await connection.getFeeForMessage(draft.compileToV0Message())).value,
    null,
    'of an unknown blockhash',
  )
  const bytes = Buffer.from(draft.compileToLegacyMessage().serialize())
  for (const [message, refusal] of [
    ['AQ', 'invalid base64 encoding'],
    ['', 'failed to deserialize solana_message::versions::VersionedMessage'],
    [
      bytes.subarray(0, 90).toString('base64'),
      'failed to deserialize solana_message::versions::VersionedMessage',
    ],
    [
      Buffer.from([1, 1, ...bytes.subarray(2)]).toString('base64'),
      /^invalid transaction message: .*sanitize/,
    ],
    [Buffer.alloc(1_233).toString('base64'), /too large: more than 1232 bytes/],
  ] as const) {
    t.match((await node.call('getFeeForMessage', [message])).body.error, { code: -32602, message: refusal })
  }
})

t.test('the transactions of an address are listed, the newest first', async (t) => {
  const node = await startNode(t)
  const { connection } = node
  const wallet = await node.funded()
  const friend = Keys.generate().publicKey
  const ids: string[] = []
  for (let i = 0; i < 4; i++) {
    ids.unshift(await connection.sendRawTransaction(await node.transfer(wallet, friend, SOL + i)))
    node.advance(1)
  }
  const list = async (options: object = {}) =>
    connection.getSignaturesForAddress(friend, options, 'confirmed')
  const all = await list()
  t.same(
    all.map(({ signature }) => signature),
    ids,
  )
  const { slot, blockTime } = (await connection.getTransaction(ids[0]!, {
    maxSupportedTransactionVersion: 0,
  }))!
  t.same(all[0], {
    signature: ids[0],
    slot,
    err: null,
    memo: null,
    blockTime,
    confirmationStatus: 'confirmed',
  })
  const listed = async (options: object) =>
    (await list(options)).map(({ signature }) => ids.indexOf(signature))
  t.same(await listed({ limit: 2 }), [0, 1])
  t.same(await listed({ before: ids[1]! }), [2, 3])
  t.same(await listed({ before: ids[0]!, until: ids[3]! }), [1, 2])
  t.same(await listed({ before: '1'.repeat(64) }), [])
  t.same(await connection.getSignaturesForAddress(friend, {}, 'finalized'), [])
  t.equal((await connection.getSignaturesForAddress(wallet.publicKey)).length, 5, 'its airdrop among them')
  node.advance(32)
  t.match(await connection.getSignaturesForAddress(friend, {}, 'finalized'), [
    { confirmationStatus: 'finalized' },
  ])

  const refusals: [options: object, message: string][] = [
    [{ limit: 1_001 }, 'Invalid limit; max 1000'],
    [{ limit: 0 }, 'Invalid limit; max 1000'],
    [{ before: 'x' }, 'Invalid param: WrongSize'],
    [{ commitment: 'processed' }, 'Method does not support commitment below `confirmed`'],
  ]
  for (const [options, message] of refusals) {
    const { error } = (await node.call('getSignaturesForAddress', [friend, options])).body
    t.same(error, { code: -32602, message })
  }
})

t.test('an epoch has 432,000 slots', async (t) => {
  const node = await startNode(t)
  await node.funded()
  node.advance(40)
  const slot = await node.connection.getSlot('confirmed')
  t.same(await node.connection.getEpochInfo(), {
    absoluteSlot: slot,
    blockHeight: await node.connection.getBlockHeight('confirmed'),
    epoch: Math.floor(slot / 432_000),
    slotIndex: slot % 432_000,
    slotsInEpoch: 432_000,
    transactionCount: 1,
  })
  t.match(await node.connection.getVersion(), { 'solana-core': '4.3.0', 'feature-set': Number })
})

t.test('kit finds the same node', async (t) => {
  const node = await startNode(t)
  const rpc = createSolanaRpc(node.url)
  const wallet = Keys.generate()
  const signer = await createKeyPairSignerFromBytes(wallet.secretKey)
  await rpc.requestAirdrop(signer.address, lamports(2_000_000_000n)).send()
  t.equal((await rpc.getBalance(signer.address).send()).value, 2_000_000_000n)

  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
  const friend = Keys.generate().publicKey
  const { keys, data } = SystemProgram.transfer({
    fromPubkey: wallet.publicKey,
    toPubkey: friend,
    lamports: SOL,
  })
  const instruction = {
    programAddress: address('11111111111111111111111111111111'),
    accounts: keys.map((key) => ({ address: address(key.pubkey.toBase58()), role: key.isSigner ? 3 : 1 })),
    data,
  }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(signer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) => appendTransactionMessageInstruction(instruction, m),
  )
  const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message))
  const id: Signature = await rpc
    .sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' })
    .send()
  node.advance(32)
  const { value } = await rpc.getSignatureStatuses([id]).send()
  t.match(value[0], { confirmationStatus: 'finalized', confirmations: null })
  const landed = await rpc.getTransaction(id, { encoding: 'json', maxSupportedTransactionVersion: 0 }).send()
  t.equal(landed?.meta?.fee, 5_000n)
  const info = await rpc.getAccountInfo(address(friend.toBase58()), { encoding: 'base64' }).send()
  t.match(info.value, { lamports: 1_000_000_000n, space: 0n, executable: false })
  const [balances] = await Promise.all([
    rpc.getMultipleAccounts([signer.address]).send(),
    rpc.getHealth().send(),
  ])
  t.equal(balances.value[0]?.lamports, 999_995_000n)
})
