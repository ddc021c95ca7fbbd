import { createHash } from 'node:crypto'

/** A pseudo-random number from 0 to below 1, constant for a key. */
export function draw(key: string): number {
  return createHash('sha256').update(key).digest().readUIntBE(0, 6) / 2 ** 48
}
