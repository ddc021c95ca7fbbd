/**
 * GoPlus's access token: an app signs the time with its secret, and gets a token for a few hours. It is
 * renewed before it expires, and after it was refused.
 *
 * Source: GoPlusSecurity/goplus-sdk-go auth/auth.go · goplus-sdk-node GetAccessTokenRequest (the signature
 * and an example)
 */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Call } from '../../../flow/call.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { recorded } from '../../../runtime/tape.ts'
import { LIMITED } from '../../../upstream/request.ts'
import { answerReader, maybe } from '../../answer.ts'
import { type AdapterUpstream, post } from '../../requests.ts'

/** What GoPlus issues to an account. */
export interface GoplusApp {
  readonly key: string
  readonly secret: string
}

const DEADLINE_MS = 5_000
const ISSUED = 1
/** GoPlus's code for too many requests, in a 200. */
export const RATE_LIMITED = 4_029

const readToken = answerReader(
  Type.Object({
    code: Type.Integer(),
    result: maybe(
      Type.Object({ access_token: Type.String({ minLength: 1 }), expires_in: Type.Number({ minimum: 0 }) }),
    ),
  }),
)

/** @param seconds  Unix time */
export const signatureOf = ({ key, secret }: GoplusApp, seconds: number): string =>
  createHash('sha1').update(`${key}${seconds}${secret}`).digest('hex')

export class GoplusToken {
  readonly #upstream: AdapterUpstream
  readonly #app: GoplusApp
  readonly #clock: Clock
  #token: { readonly header: string; readonly renewAt: number } | null = null
  #pending: Promise<string> | null = null

  constructor(upstream: AdapterUpstream, app: GoplusApp, clock: Clock) {
    this.#upstream = upstream
    this.#app = app
    this.#clock = clock
  }

  /**
   * The headers of a request, names and values in turn.
   * @throws GatewayError  upstream_refused for an app that GoPlus does not accept; upstream_*
   */
  async headers(): Promise<readonly string[]> {
    const renewed: string[] = []
    // The token itself is in no recording.
    await recorded(this.#clock, 'goplus token', async () => void renewed.push(...(await this.#headers())))
    return renewed
  }

  async #headers(): Promise<readonly string[]> {
    if (this.#token !== null && this.#clock.now() < this.#token.renewAt) {
      return ['authorization', this.#token.header]
    }
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = null
    })
    return ['authorization', await this.#pending]
  }

  /** Notes that the token was refused. */
  drop(): void {
    this.#token = null
  }

  async #renew(): Promise<string> {
    const time = Math.floor(this.#clock.date() / 1_000)
    const body = JSON.stringify({ app_key: this.#app.key, sign: signatureOf(this.#app, time), time })
    const askedAt = this.#clock.now()
    const request = post<{ token: string; seconds: number }>('/api/v1/token', body, (status, reply) => {
      const answer = status === 200 ? readToken(reply)?.value : undefined
      if (answer === undefined) return null
      const { code, result } = answer
      if (code === ISSUED && result) return { token: result.access_token, seconds: result.expires_in }
      if (code === RATE_LIMITED) return LIMITED
      const message = "GoPlus refused the gateway's app key and secret."
      throw new GatewayError('upstream_refused', message, { provider: 'goplus', scope: 'provider' })
    })
    const { token, seconds } = await this.#upstream.ask(request, Call.of(this.#clock, 'build', DEADLINE_MS))
    const header = /^Bearer /i.test(token) ? token : `Bearer ${token}`
    this.#token = { header, renewAt: askedAt + seconds * 900 }
    return header
  }
}
