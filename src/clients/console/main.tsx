/**
 * The entry point of the console, with what most views need: scripts/pages.mjs puts all that is imported here into one
 * file.
 */
import { render } from 'preact'
import { Frame } from './frame.tsx'
import './style.css'
import './data/simulation.ts'
import './parts/explorer.tsx'
import './parts/fact.tsx'
import './parts/providers.tsx'
import './parts/token-name.tsx'
import './views/sandbox/control.ts'
import './views/tokens/risks.ts'
import './views/tokens/rows.ts'
import './wallets/node-rpc.ts'
import './wallets/wallet.ts'
import '../../runtime/base64.ts'

render(<Frame />, document.getElementById('console')!)
