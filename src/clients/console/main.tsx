/** The entry point of the console. */
import { render } from 'preact'
import { Frame } from './frame.tsx'
import { applyTheme } from './theme.tsx'
import './style.css'

applyTheme()
render(<Frame />, document.getElementById('console')!)
