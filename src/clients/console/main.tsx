/** The entry point of the console. */
import { render } from 'preact'
import { Frame } from './frame.tsx'
import './style.css'

render(<Frame />, document.getElementById('console')!)
