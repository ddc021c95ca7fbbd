import { render } from 'preact'
import './style.css'

render(<main>swapgate</main>, document.getElementById('console')!)
