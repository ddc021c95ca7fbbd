import { BuildRequest, BuildResult } from './build.ts'
import { Chain, Chains } from './chain.ts'
import { CrossChainQuote } from './cross-chain.ts'
import { ErrorBody } from './error.ts'
import { Health } from './health.ts'
import { Portfolio } from './portfolio.ts'
import { Quote } from './quote.ts'
import { Rebroadcasts, SubmissionReceipt } from './receipt.ts'
import { Settings } from './settings.ts'
import { SolanaRpcRequest, SolanaRpcResponse } from './solrpc.ts'
import { TokenProfile, TokenRisks } from './token-profile.ts'
import { TokenList, TokenRow } from './tokens.ts'
import { Verification } from './verification.ts'

/** The schemas that the OpenAPI document lists by name. */
export const COMPONENTS = {
  TokenList,
  TokenRow,
  TokenProfile,
  TokenRisks,
  Chain,
  Chains,
  Portfolio,
  Quote,
  BuildRequest,
  BuildResult,
  Verification,
  CrossChainQuote,
  SolanaRpcRequest,
  SolanaRpcResponse,
  SubmissionReceipt,
  Rebroadcasts,
  ErrorBody,
  Health,
  Settings,
}
