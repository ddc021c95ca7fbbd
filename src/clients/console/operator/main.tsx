/** The operator's page, at the root of the admin listener. */
import { render } from 'preact'
import { Operator } from './operator.tsx'
import './operator.css'

render(<Operator />, document.getElementById('console')!)
