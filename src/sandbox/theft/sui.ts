/**
 * A Sui transaction, changed in its bytes: what stands in them as an input of
 * its own, and as an address, is found and written over.
 */
import { type Fields, type Theft, theftsOf } from './thief.ts'

export const suiThefts = (_data: string, _write: (data: string) => Fields): readonly Theft[] =>
  theftsOf({}, () => ({}), [])
