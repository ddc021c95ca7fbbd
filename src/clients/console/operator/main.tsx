/** The operator's page, at the root of the admin listener. */
import { render } from 'preact'
import { applyTheme } from '../theme.tsx'
import { Operator } from './operator.tsx'
import './operator.css'

applyTheme()
render(<Operator />, document.getElementById('console')!)
