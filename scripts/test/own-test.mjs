/** What `tap` is for one file of a lane: a test of its own in the place of the process's. */
import { testOf } from './lane-tests.mjs'

export * from 'tap'
export default testOf(new URL(import.meta.url).searchParams.get('file'))
