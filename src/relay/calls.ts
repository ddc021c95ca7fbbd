/**
 * Reads a call in one pass over its bytes: checks that they are JSON, and finds the method, the params and the id,
 * which goes back as it was spelled. Only the params are parsed. An unusual spelling, such as an escape in a name,
 * goes through JSON.parse and the schema, which also refuse what is not a call.
 */
import { MAX_VALUES } from '../chains/json/parse.ts'
import { EnvelopeScan, ERROR, ID, JSONRPC, METHOD, type Member, PARAMS, RESULT } from '../chains/json/scan.ts'
import { GatewayError } from '../runtime/errors.ts'
import type { SolanaRpcRequest } from '../runtime/resources/solrpc.ts'
import type { Methods } from './methods/methods.ts'

export interface RelayCall extends Pick<SolanaRpcRequest, 'method' | 'params'> {
  /** As JSON text, a view of the body; null without one. */
  readonly id: Buffer | null
}

export class CallReader {
  readonly #methods: Methods
  readonly #scan = new EnvelopeScan()

  constructor(methods: Methods) {
    this.#methods = methods
  }

  /**
   * @param checked  parses the body, and checks it against the schema
   * @throws GatewayError  400, as `checked` does
   */
  read(bytes: Buffer, checked: () => SolanaRpcRequest): RelayCall {
    const scan = this.#scan
    // This few bytes hold no more values than JSON.parse may get.
    if (bytes.length <= MAX_VALUES && scan.scan(bytes) && scan.isObject && !scan.hasOthers) {
      const name = this.#text(bytes, METHOD).slice(1, -1)
      const isCall = this.#text(bytes, JSONRPC) === '"2.0"' && !scan.has(RESULT) && !scan.has(ERROR)
      if (isCall && scan.has(PARAMS) && this.#methods.has(name)) {
        const params = JSON.parse(bytes.toString('utf8', scan.start(PARAMS), scan.end(PARAMS)))
        if (Array.isArray(params)) return { method: name as RelayCall['method'], params, id: this.#id(bytes) }
      }
    }
    const { method, params } = checked()
    return { method, params, id: this.idIn(bytes) }
  }

  /** The id of a call that was checked. */
  idIn(bytes: Buffer): Buffer | null {
    if (this.#scan.scan(bytes)) return this.#id(bytes)
    throw new GatewayError('malformed_body', 'The body must not nest arrays and objects more than 512 deep.')
  }

  /** The id of a call that is refused; null, too, if it can't be read. */
  idOfRefused(bytes: Buffer): Buffer | null {
    return this.#scan.scan(bytes) ? this.#id(bytes) : null
  }

  #id(bytes: Buffer): Buffer | null {
    const scan = this.#scan
    return scan.has(ID) ? bytes.subarray(scan.start(ID), scan.end(ID)) : null
  }

  #text(bytes: Buffer, member: Member): string {
    return bytes.toString('latin1', this.#scan.start(member), this.#scan.end(member))
  }
}
