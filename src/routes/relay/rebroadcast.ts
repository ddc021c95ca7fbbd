import { get } from '../../http/route.ts'
import type { Asked, Inquiries } from '../../relay/submissions/inquiries.ts'
import { Rebroadcasts } from '../../runtime/resources/receipt.ts'
import recorded from '../examples/operations.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/rebroadcast (§4.10): accepted transactions that are being rebroadcast. */
export const rebroadcast = (inquiries: Asked<Inquiries>) =>
  get({
    path: '/api/rebroadcast',
    description: described('listRebroadcasts', Rebroadcasts, { example: recorded.rebroadcasts }),
    handle: async () => Buffer.from(JSON.stringify(await inquiries.rebroadcasts())),
  })
