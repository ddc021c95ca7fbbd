/**
 * The sandbox's hosts of token logos: a proxy answers for all of them with a picture for any path, drawn from
 * the asset of the token whose address ends the path, so that a token has the same one on all chains. With
 * the fault `forged` it answers as a hostile host would: with a document with a script, a picture that unpacks
 * to gigabytes, or a redirect into the local network.
 *
 * Source: Portable Network Graphics (Third Edition) §5, §11
 */
import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { ProviderReply, ProviderServer } from '../provider-server.ts'
import { LISTINGS } from './tokens.ts'

const SIDE = 64
const CELLS = 5
const CELL = 11
const MARGIN = (SIDE - CELLS * CELL) / 2

export function logos(): ProviderServer {
  return {
    name: 'logos',
    faults: [{ fault: 'forged' }],
    rateLimited: () => ({ status: 429, body: 'Too Many Requests' }),
    handle({ method, path, fault }) {
      if (method !== 'GET') return { status: 405, body: 'Method Not Allowed' }
      const seed = createHash('sha256')
        .update(assetOf(path.slice(path.lastIndexOf('/') + 1).replace(/\.png$/, '')))
        .digest()
      if (fault !== 'forged') return image('image/png', draw(seed))
      const forge = Object.values(FORGERIES)
      return forge[seed[31]! % forge.length]!(draw(seed))
    },
  }
}

const assetOf = (address: string): string =>
  LISTINGS.find(({ token }) => token.address === address)?.token.asset ?? address

const image = (type: string, body: Buffer | string): ProviderReply => ({
  status: 200,
  body,
  headers: { 'content-type': type },
})

/** Hostile hosts' answers, by name. @param honest  the picture that each replaces */
export const FORGERIES: Readonly<Record<string, (honest: Buffer) => ProviderReply>> = {
  svg: () =>
    image('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  html: () => image('image/png', '<!doctype html><script>alert(1)</script>'),
  /** A picture and a document at once. */
  polyglot: (honest) => image('image/png', Buffer.concat([honest, Buffer.from('<script>alert(1)</script>')])),
  vast: () => image('image/png', png(header(60_000, 60_000, 8, 6), Buffer.alloc(100))),
  endless: (honest) => image('image/png', Buffer.concat([honest, Buffer.alloc(2 ** 20)])),
  broken: (honest) => image('image/png', honest.subarray(0, honest.length / 2)),
  redirect: () => ({
    status: 302,
    body: '',
    headers: { location: 'http://169.254.169.254/latest/meta-data/iam/security-credentials/' },
  }),
}

/** Two colours, and cells that are the same on the left and the right. */
function draw(seed: Buffer): Buffer {
  const rows = Array.from({ length: SIDE }, (_, y) => {
    const row = Buffer.alloc(1 + SIDE / 8)
    for (let x = 0; x < SIDE; x++)
      if (isSet(seed, cellOf(x), cellOf(y))) row[1 + (x >> 3)]! |= 0x80 >> (x & 7)
    return row
  })
  const dark = [...seed.subarray(0, 3)].map((byte) => 40 + (byte % 140))
  const palette = chunk('PLTE', Buffer.from([...dark, 255, 255, 255]))
  return png(Buffer.concat([header(SIDE, SIDE, 1, 3), palette]), Buffer.concat(rows))
}

const cellOf = (pixel: number): number => Math.floor((pixel - MARGIN) / CELL)

function isSet(seed: Buffer, column: number, row: number): boolean {
  if (Math.min(column, row) < 0 || Math.max(column, row) >= CELLS) return false
  return (seed[3 + row * 3 + Math.min(column, CELLS - 1 - column)]! & 1) === 1
}

function png(head: Buffer, pixels: Buffer): Buffer {
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, head, chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))])
}

function header(width: number, height: number, depth: number, colour: number): Buffer {
  const body = Buffer.alloc(13)
  body.writeUInt32BE(width)
  body.writeUInt32BE(height, 4)
  body[8] = depth
  body[9] = colour
  return chunk('IHDR', body)
}

function chunk(type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}
